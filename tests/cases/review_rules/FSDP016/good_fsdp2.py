import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard


def build(model):
    fully_shard(model)
    return torch.optim.AdamW([p for n, p in model.named_parameters() if "bias" not in n])


def configurable(model, policy, args):
    model = FSDP(model, auto_wrap_policy=policy, use_orig_params=args.orig)
    return [p for n, p in model.named_parameters() if n.endswith("bias")]
