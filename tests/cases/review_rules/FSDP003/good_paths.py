from torch.distributed.fsdp import fully_shard


def shard(model, whole):
    if whole:
        fully_shard(model)
    else:
        for layer in model.layers:
            fully_shard(layer)


def two(teacher, student):
    fully_shard(teacher)
    for layer in student.layers:
        fully_shard(layer)
    fully_shard(student)
