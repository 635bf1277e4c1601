import torch
from transformers import Trainer, TrainingArguments


def main(model, data, out):
    arguments = TrainingArguments(output_dir=out, fsdp=True)
    optimizer = torch.optim.AdamW(model.parameters())
    return Trainer(model=model, args=arguments, train_dataset=data, optimizers=(optimizer, None))  # <- HF217
