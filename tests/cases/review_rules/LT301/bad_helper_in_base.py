import lightning as L
import torch
from lightning.pytorch.strategies import FSDPStrategy
from torch import nn


class Base(L.LightningModule):
    def __init__(self, lr):
        super().__init__()
        self.lr = lr
        self.body = nn.Sequential(*[nn.Linear(64, 64) for _ in range(8)])

    def training_step(self, batch, _):
        x, y = batch
        return nn.functional.mse_loss(self.body(x), y)

    def groups(self):
        return self.body.parameters()


class Tuned(Base):
    def configure_optimizers(self):
        return torch.optim.AdamW(self.groups(), lr=self.lr)


def main(dm):
    strategy = FSDPStrategy(auto_wrap_policy={nn.Linear}, use_orig_params=False)  # <- LT301
    L.Trainer(accelerator="gpu", devices=8, strategy=strategy, gradient_clip_val=1.0).fit(Tuned(1e-3), dm)  # <- LT304
