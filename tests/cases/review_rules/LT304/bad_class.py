from pytorch_lightning import Trainer
from pytorch_lightning.strategies import FSDPStrategy


class Run:
    def __init__(self, clip):
        self.strategy = FSDPStrategy()
        self.clip = clip

    def trainer(self):
        return Trainer(
            strategy=self.strategy,
            gradient_clip_val=self.clip,  # <- LT304
            gradient_clip_algorithm="norm",
        )
