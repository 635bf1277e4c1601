from settings import STRATEGY
from transformers import TrainingArguments


def arguments(out):
    return TrainingArguments(output_dir=out, fsdp=STRATEGY)  # <- HF212
