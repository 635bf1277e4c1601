import lightning as L
from lightning.pytorch.plugins import precision


def main():
    half = precision.HalfPrecision("bf16-true")
    return L.Trainer(strategy="fsdp", plugins=[half])  # <- LT302
