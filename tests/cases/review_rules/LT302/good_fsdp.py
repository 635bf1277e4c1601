import lightning as L
from lightning.pytorch.plugins.precision import FSDPPrecision
from lightning.pytorch.strategies import FSDPStrategy


def main():
    strategy = FSDPStrategy(precision_plugin=FSDPPrecision("bf16-mixed"))
    return L.Trainer(strategy=strategy, precision="bf16-mixed")
