"""Frozen and trainable parameters in one FSDP1 unit: refused when flat, warned about with original parameters."""

import functools
import warnings

import torch
from _lab import Block, Net, batch, raises
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy


def _net():
    net = Net()
    for block in net.blocks:
        block.up.requires_grad_(False)
    return net


def probe(rank, world_size):
    """Wrap with flat parameters, with original parameters, and with the frozen layers as units of their own."""
    cpu = torch.device("cpu")
    policy = ModuleWrapPolicy({Block})
    message = raises(
        ValueError,
        "does not support wrapping such modules when use_orig_params=False",
        lambda: FSDP(_net(), auto_wrap_policy=policy, device_id=cpu),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mixed = FSDP(_net(), auto_wrap_policy=policy, device_id=cpu, use_orig_params=True)
    warned = [str(entry.message) for entry in caught if "gradient memory usage" in str(entry.message)]
    assert "280 numel instead of 136 numel" in warned[0], warned
    mixed(batch(rank)).sum().backward()
    assert mixed.blocks[0].module.up.weight.grad is None
    flat = mixed.blocks[0]._handle.flat_param
    assert flat.requires_grad
    assert flat.numel() == 280 // world_size
    by_size = functools.partial(size_based_auto_wrap_policy, min_num_params=200)
    sized = raises(ValueError, "uniform `requires_grad`", lambda: FSDP(_net(), auto_wrap_policy=by_size, device_id=cpu))
    apart = Net()
    for inner in apart.blocks:
        inner.up.requires_grad_(False)
        inner.up = FSDP(inner.up, device_id=cpu)
    split = FSDP(apart, device_id=cpu)
    split(batch(rank)).sum().backward()
    numbers = warned[0][warned[0].find("(") :][:32]
    return {"flat, class policy": message[:60], "flat, size policy": sized, "original parameters warn": numbers}
