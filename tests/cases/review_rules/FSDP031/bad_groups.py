from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrap(model, group, mesh):
    return FSDP(model, process_group=group, device_mesh=mesh)  # <- FSDP031
