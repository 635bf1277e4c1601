import lightning as L
import torch
from lightning.pytorch.strategies import FSDPStrategy


class Lit(L.LightningModule):
    def configure_optimizers(self):
        return torch.optim.SGD(self.trainer.model.parameters(), lr=0.1)


def main(data):
    L.Trainer(strategy=FSDPStrategy(use_orig_params=False)).fit(Lit(), data)
