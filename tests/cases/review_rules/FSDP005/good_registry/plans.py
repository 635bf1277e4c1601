from torch.distributed.fsdp import fully_shard


def text(model, mesh):
    for block in model.layers:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)


def image(model, mesh):
    if mesh.ndim > 1:
        print("replicated")
    fully_shard(model.first, mesh=mesh)
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)


def plan_of(kind):
    if kind == "image":
        return image
    return text
