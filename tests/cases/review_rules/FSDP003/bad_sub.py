from torch.distributed.fsdp import fully_shard
def shard(model, mesh):
    for block in model.blocks:
        fully_shard(block, mesh=mesh)  # <- FSDP003
        fully_shard(block.mlp, mesh=mesh)
    fully_shard(model, mesh=mesh)
