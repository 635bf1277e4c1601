from lightning.pytorch.strategies import FSDPStrategy
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
from zoo import Block


def policy(module, recurse, nonwrapped_numel):
    return size_based_auto_wrap_policy(module, recurse, nonwrapped_numel, min_num_params=100)


def strategy():
    return FSDPStrategy(auto_wrap_policy={Block})
