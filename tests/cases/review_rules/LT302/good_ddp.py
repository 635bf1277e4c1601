import lightning as L
from lightning.pytorch.plugins import MixedPrecision


def main():  # not fsdp
    return L.Trainer(strategy="ddp", plugins=[MixedPrecision("16-mixed", "cuda")])
