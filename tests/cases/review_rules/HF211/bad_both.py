from transformers import TrainingArguments


def arguments(out):
    return TrainingArguments(
        out,
        gradient_checkpointing=True,  # <- HF211
        fsdp=True,
        fsdp_config={"activation_checkpointing": True},
    )
