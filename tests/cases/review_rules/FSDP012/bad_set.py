from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from zoo import Block


def wrap(model):
    return FSDP(model, auto_wrap_policy={Block})  # <- FSDP012
