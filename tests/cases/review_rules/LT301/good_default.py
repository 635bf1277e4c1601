import lightning as L
import torch
from lightning.pytorch.strategies import FSDPStrategy


class Lit(L.LightningModule):
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main(data):
    L.Trainer(strategy=FSDPStrategy()).fit(Lit(), data)
