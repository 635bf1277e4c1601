import pytorch_lightning as pl
import torch
from pytorch_lightning.strategies import FSDPStrategy


class Lit(pl.LightningModule):
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main(data):
    strategy = FSDPStrategy(use_orig_params=False)  # <- LT301
    pl.Trainer(strategy=strategy).fit(Lit(), data)
