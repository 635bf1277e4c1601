from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def wrap(model, **kw):
    for name, child in model.named_children():
        wrapped = FSDP(child, **kw)
        setattr(model, name, wrapped)
    for i, b in enumerate(model.blocks):
        b = FSDP(b, **kw)
        model.blocks[i] = b
    return FSDP(model, **kw)
