"""The classes that a family's policy names come from a table, as text."""

from functools import partial

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy

UNITS = {"opt": ["OPTDecoderLayer"], "bloom": ["BloomBlock", "BloomMLP"]}


def policy_of(name):
    return partial(transformer_auto_wrap_policy, transformer_layer_cls=set(UNITS[name]))  # <- FSDP012


def main(model, name, device):
    return FSDP(model, auto_wrap_policy=policy_of(name), device_id=device)
