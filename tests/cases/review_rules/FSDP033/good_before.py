import torch.nn as nn
from peft import get_peft_model
from torch.distributed.fsdp import fully_shard


def build(model, lora, classes):
    model.head = nn.Linear(16, classes)
    model.resize_token_embeddings(100)
    model = get_peft_model(model, lora)
    fully_shard(model)
    model.label = "sharded"
    return model
