import lightning as L
from lightning.pytorch.strategies import FSDPStrategy


class Lit(L.LightningModule):
    def configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        self.trainer.model.clip_grad_norm_(gradient_clip_val)


def main():
    return L.Trainer(strategy=FSDPStrategy(), gradient_clip_val=1.0)
