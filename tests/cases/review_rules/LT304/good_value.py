import lightning as L
from lightning.pytorch.strategies import FSDPStrategy


def main():
    a = L.Trainer(strategy=FSDPStrategy(), gradient_clip_val=1.0, gradient_clip_algorithm="value")
    b = L.Trainer(strategy="ddp", gradient_clip_val=1.0)
    return a, b, L.Trainer(strategy=FSDPStrategy(), gradient_clip_val=None)
