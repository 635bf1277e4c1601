from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def evaluate(wrapped, x):
    return wrapped.module(x)  # <- FSDP080


def main(model, policy, x):
    model = FSDP(model, auto_wrap_policy=policy)
    return evaluate(model, x)
