from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def build(model, policy):
    print(sum(p.numel() for p in model.parameters()))
    return FSDP(model, auto_wrap_policy=policy)
