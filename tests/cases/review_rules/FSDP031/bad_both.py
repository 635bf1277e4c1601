from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def kwargs(pg, mesh):
    kw = {"process_group": pg}
    kw["device_mesh"] = mesh
    return kw
def wrap(m, pg, mesh):
    return FSDP(m, **kwargs(pg, mesh))  # <- FSDP031
