from torch.distributed.fsdp import fully_shard


def describe(model):
    return model.__class__.__name__ == "Gpt"  # <- FSDP019


def main(model):
    fully_shard(model)
    return describe(model)
