from transformers import Trainer, TrainingArguments


def main(model, data, out, scheduler):
    arguments = TrainingArguments(output_dir=out, fsdp=True)
    Trainer(model=model, args=arguments, train_dataset=data)
    return Trainer(model=model, args=arguments, train_dataset=data, optimizers=(None, scheduler))
