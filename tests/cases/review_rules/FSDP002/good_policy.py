from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard
from transformers import AutoModel


def policy(name, wrap):
    return FSDP(AutoModel.from_pretrained(name), auto_wrap_policy=wrap)


def options(name, **kwargs):
    return FSDP(AutoModel.from_pretrained(name), **kwargs)


def layers(name):
    model = AutoModel.from_pretrained(name)
    for layer in model.encoder.layer:
        fully_shard(layer)
    fully_shard(model)
