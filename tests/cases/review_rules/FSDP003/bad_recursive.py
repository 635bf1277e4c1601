from torch.distributed.fsdp import fully_shard
def shard_rec(module, mesh):
    fully_shard(module, mesh=mesh)  # <- FSDP003
    for child in module.children():
        shard_rec(child, mesh)
def go(model, mesh):
    shard_rec(model, mesh)
