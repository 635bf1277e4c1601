from transformers import TrainingArguments


def arguments(out, extra):
    config = {"fsdp_cpu_offload": True, "fsdp_transformer_layer_cls_to_wrap": ["Block"], "version": 2}
    return TrainingArguments(output_dir=out, fsdp=True, fsdp_config=config), TrainingArguments(out, fsdp_config=extra)
