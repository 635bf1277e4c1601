from peft import get_peft_model
from torch.distributed.fsdp import fully_shard


def build(model, lora):
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    return get_peft_model(model, lora)  # <- FSDP033
