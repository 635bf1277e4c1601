from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def count(m):
    total = 0
    for parameter in m.parameters():
        total += parameter.numel()  # <- FSDP018
    return total


def build(model, policy):
    wrapped = FSDP(model, auto_wrap_policy=policy, use_orig_params=True)
    print(f"{count(wrapped)} parameters")
    return wrapped
