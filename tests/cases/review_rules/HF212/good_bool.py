from transformers import TrainingArguments


def arguments(out):
    return TrainingArguments(output_dir=out, fsdp=True, fsdp_config={"reshard_after_forward": True})
