import functools

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from zoo import Block


def freeze(model):
    for name, parameter in model.named_parameters():
        if "adapter" not in name:
            parameter.requires_grad = False


def build(model):
    freeze(model)
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    return FSDP(model, auto_wrap_policy=policy, use_orig_params=False)  # <- FSDP015
