from torch.distributed.fsdp import fully_shard
def shard(module, mesh, leaf):
    for child in module.children():
        shard(child, mesh, leaf)
    if isinstance(module, leaf):
        fully_shard(module, mesh=mesh)
def main(model, mesh, leaf):
    shard(model, mesh, leaf)
    fully_shard(model, mesh=mesh)
