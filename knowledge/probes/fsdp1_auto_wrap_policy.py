"""Right and wrong forms of FSDP1's auto_wrap_policy, and policies that match nothing."""

import functools

import torch
from _lab import Block, Net, raises
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy, transformer_auto_wrap_policy


def _units(policy, net=None):
    wrapped = FSDP(net or Net(), auto_wrap_policy=policy, device_id=torch.device("cpu"), use_orig_params=True)
    return sum(isinstance(module, FSDP) for module in wrapped.modules())


def probe(rank, world_size):
    """Count units with each policy and collect the errors of the wrong forms."""
    right = {
        "ModuleWrapPolicy": _units(ModuleWrapPolicy({Block})),
        "transformer": _units(functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})),
        "size_based, 200": _units(functools.partial(size_based_auto_wrap_policy, min_num_params=200)),
    }
    assert right == {"ModuleWrapPolicy": 3, "transformer": 3, "size_based, 200": 3}, right
    nothing = {
        "other class": _units(ModuleWrapPolicy({nn.LSTM})),
        "size_based default": _units(size_based_auto_wrap_policy),
    }
    assert nothing == {"other class": 1, "size_based default": 1}, nothing
    wrong = {
        "set of classes": raises(TypeError, "", lambda: _units({Block})),
        "names": raises(TypeError, "", lambda: _units(ModuleWrapPolicy({"Block"}))),
        "called": raises(TypeError, "", lambda: transformer_auto_wrap_policy(transformer_layer_cls={Block})),
    }
    wrapped = Net()
    wrapped.head = FSDP(wrapped.head, device_id=torch.device("cpu"), use_orig_params=True)
    twice = raises(ValueError, "not already have FSDP applied", lambda: _units(ModuleWrapPolicy({Block}), net=wrapped))
    return {**right, **nothing, **{key: text[:60] for key, text in wrong.items()}, "already wrapped": twice[:70]}
