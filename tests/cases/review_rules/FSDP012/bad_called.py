import torch.distributed.fsdp.wrap as w
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from zoo import Block


def wrap(model):
    policy = w.transformer_auto_wrap_policy(transformer_layer_cls={Block})  # <- FSDP012
    return FSDP(model, auto_wrap_policy=policy)


def by_name(model):
    return FSDP(model, auto_wrap_policy=w.ModuleWrapPolicy({"Block"}))  # <- FSDP012
