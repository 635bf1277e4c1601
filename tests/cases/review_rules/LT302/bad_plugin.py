from lightning.pytorch.plugins import MixedPrecision
from lightning.pytorch.strategies import FSDPStrategy


def strategy():
    return FSDPStrategy(precision_plugin=MixedPrecision("bf16-mixed", "cuda"))  # <- LT302
