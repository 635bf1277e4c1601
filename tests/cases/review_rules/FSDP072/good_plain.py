from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def unsharded(model):
    return [p.norm().item() for p in model.parameters()]


def fsdp1(model, policy):
    model = FSDP(model, auto_wrap_policy=policy)
    return [p.norm().item() for p in model.parameters()]
