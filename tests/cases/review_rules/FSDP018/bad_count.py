from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def build(model, policy):
    model = FSDP(model, auto_wrap_policy=policy)
    print(sum(p.numel() for p in model.parameters()))  # <- FSDP018
    return model
