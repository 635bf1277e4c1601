"""Filters that find no block: after checkpoint_wrapper and torch.compile changed what stands in the list."""

import torch
from _lab import Block, Net
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper


def _in_list(net):
    return sum(isinstance(block, Block) for block in net.blocks)


def probe(rank, world_size):
    """Count the blocks that an isinstance filter over the list, and over all modules, finds."""
    plain, checkpointed, compiled, in_place = Net(), Net(), Net(), Net()
    for number in range(2):
        checkpointed.blocks[number] = checkpoint_wrapper(checkpointed.blocks[number])
        compiled.blocks[number] = torch.compile(compiled.blocks[number], backend="eager")
        in_place.blocks[number].compile(backend="eager")
    found = {
        "plain": _in_list(plain),
        "checkpoint_wrapper": _in_list(checkpointed),
        "torch.compile(block)": _in_list(compiled),
        "block.compile()": _in_list(in_place),
    }
    assert found == {"plain": 2, "checkpoint_wrapper": 0, "torch.compile(block)": 0, "block.compile()": 2}, found
    everywhere = sum(isinstance(module, Block) for module in checkpointed.modules())
    assert everywhere == 2
    return {"found in the list": found, "found below checkpoint_wrapper by modules()": everywhere}
