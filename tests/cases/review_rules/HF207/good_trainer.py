from transformers import TrainingArguments


def arguments(out):
    return TrainingArguments(out, fsdp=True, fsdp_config={"transformer_layer_cls_to_wrap": ["A", "B"]})
