from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrap(model, group, mesh, use_mesh):
    return FSDP(
        model,
        process_group=None if use_mesh else group,
        device_mesh=mesh if use_mesh else None,
    )
