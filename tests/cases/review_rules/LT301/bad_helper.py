import lightning as L
import torch
from lightning.pytorch import strategies


class Net(L.LightningModule):
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        return [optimizer], []


def strategy(flat):
    return strategies.FSDPStrategy(
        use_orig_params=flat,  # <- LT301
    )


def main(data):
    trainer = L.Trainer(devices=8, strategy=strategy(False))
    trainer.fit(Net(), data)
