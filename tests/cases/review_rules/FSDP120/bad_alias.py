import torch.distributed.fsdp as F
def scaler():
    return F.ShardedGradScaler()  # <- FSDP120
