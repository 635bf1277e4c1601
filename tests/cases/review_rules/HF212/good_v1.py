from transformers import TrainingArguments


def arguments(out, given):
    a = TrainingArguments(output_dir=out, fsdp="hybrid_shard auto_wrap", fsdp_config={"version": 1})
    return a, TrainingArguments(output_dir=out, fsdp=given)
