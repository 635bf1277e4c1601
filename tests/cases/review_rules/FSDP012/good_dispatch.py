from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import _or_policy, lambda_auto_wrap_policy, transformer_auto_wrap_policy
from functools import partial
from m import Block

def policy(module, recurse, nonwrapped_numel):
    return transformer_auto_wrap_policy(module, recurse, nonwrapped_numel, transformer_layer_cls={Block})

def main(model, dev, kind):
    table = {"own": policy, "part": partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})}
    lam = partial(lambda_auto_wrap_policy, lambda_fn=lambda m: m.__class__.__name__ in ("A", "B"))
    pol = partial(_or_policy, policies=[lam, table[kind]])
    return FSDP(model, auto_wrap_policy=pol, device_id=dev)
