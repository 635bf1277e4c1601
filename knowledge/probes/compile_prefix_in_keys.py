"""torch.compile(module) leaves _orig_mod. in state-dict keys; module.compile() and get_model_state_dict do not."""

import torch
from _lab import Net, shard
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.checkpoint.state_dict import get_model_state_dict


def _prefixed(state, prefix):
    return sum(prefix in name for name in state)


def probe(rank, world_size):
    """Compile the whole, compile children, compile in place; checkpoint-wrap blocks."""
    names = list(Net().state_dict())
    whole = torch.compile(shard(Net()), backend="eager")
    assert _prefixed(whole.state_dict(), "_orig_mod.") == 12
    assert list(get_model_state_dict(whole)) == names
    net = Net()
    for index, block in enumerate(net.blocks):
        net.blocks[index] = torch.compile(block, backend="eager")
    shard(net)
    assert _prefixed(net.state_dict(), "_orig_mod.") == 8
    assert sorted(get_model_state_dict(net)) == sorted(names)
    inplace = shard(Net())
    for block in inplace.blocks:
        block.compile(backend="eager")
    inplace.compile(backend="eager")
    assert list(inplace.state_dict()) == names
    wrapped = Net()
    for index, block in enumerate(wrapped.blocks):
        wrapped.blocks[index] = checkpoint_wrapper(block)
    shard(wrapped)
    assert list(wrapped.state_dict()) == names
    parameters = [name for name, _ in wrapped.named_parameters()]
    assert _prefixed(parameters, "_checkpoint_wrapped_module.") == 8
    return {
        "whole": 12,
        "children": 8,
        "in place": 0,
        "get_model_state_dict": 0,
        "checkpoint_wrapper": "0 keys of state_dict(), 8 of named_parameters()",
    }
