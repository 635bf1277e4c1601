from torch.distributed._shard.checkpoint import FileSystemReader as Reader  # <- FSDP047


def reader(path):
    return Reader(path)
