from transformers import TrainingArguments


def arguments(out, accelerate):
    return TrainingArguments(out, gradient_checkpointing=True)
