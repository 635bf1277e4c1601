from transformers import TrainingArguments

FSDP = {
    "version": 2,
    "reshard_after_forward": "shard_grad_op",  # <- HF204
}


def arguments(out):
    return TrainingArguments(output_dir=out, fsdp=True, fsdp_config=FSDP)
