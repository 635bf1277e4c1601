from transformers import Seq2SeqTrainingArguments


def arguments(out):
    return Seq2SeqTrainingArguments(
        output_dir=out,
        fsdp=["hybrid_shard", "auto_wrap"],  # <- HF212
    )
