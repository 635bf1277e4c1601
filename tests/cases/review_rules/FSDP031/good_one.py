from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrap(model, group):
    return FSDP(model, process_group=group, device_mesh=None)
