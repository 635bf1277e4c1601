from transformers import TrainingArguments


def arguments(out, config):
    a = TrainingArguments(out, gradient_checkpointing=False, fsdp=True, fsdp_config={"activation_checkpointing": True})
    return a, TrainingArguments(out, gradient_checkpointing=True, fsdp_config=config)
