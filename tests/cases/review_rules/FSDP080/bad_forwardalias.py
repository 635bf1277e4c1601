from torch.distributed.fsdp import fully_shard
def step(model, x):
    fwd = model.forward
    return fwd(x).mean()  # <- FSDP080
def main(model, loader, mesh):
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    for x in loader:
        step(model, x).backward()
