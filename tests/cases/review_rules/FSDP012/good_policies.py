import functools

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy, transformer_auto_wrap_policy
from zoo import Block


def wrap(model):
    model = FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}))
    sized = functools.partial(size_based_auto_wrap_policy, min_num_params=20_000)
    layered = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    return FSDP(model, auto_wrap_policy=sized), FSDP(model, auto_wrap_policy=layered)
