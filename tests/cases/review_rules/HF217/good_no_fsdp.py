import torch
from transformers import Trainer, TrainingArguments


def main(model, data, out, given):
    arguments = TrainingArguments(output_dir=out)
    optimizer = torch.optim.AdamW(model.parameters())
    Trainer(model=model, args=given, optimizers=(optimizer, None))
    return Trainer(model=model, args=arguments, train_dataset=data, optimizers=(optimizer, None))
