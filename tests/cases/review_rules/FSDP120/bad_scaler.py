import torch.distributed.fsdp as f


def scaler():
    return f.ShardedGradScaler()  # <- FSDP120
