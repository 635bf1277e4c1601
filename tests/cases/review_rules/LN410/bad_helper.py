from torch import distributed
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def start():
    distributed.init_process_group()  # <- LN410


def main(model, policy):
    start()
    return FSDP(model, auto_wrap_policy=policy)
