from torch.distributed import fsdp as sharded


def wrap(model):
    skip = [model.embed]
    return sharded.FullyShardedDataParallel(model, ignored_modules=skip, ignored_states=skip)  # <- FSDP031
