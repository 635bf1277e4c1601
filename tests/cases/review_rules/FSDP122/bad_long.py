from torch.distributed.fsdp.fully_sharded_data_parallel import (
    CPUOffload,
    FullyShardedDataParallel,  # <- FSDP122
)


def wrap(model, policy):
    return FullyShardedDataParallel(model, auto_wrap_policy=policy, cpu_offload=CPUOffload(False))
