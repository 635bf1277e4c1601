"""What is unsharded after forward for None, True, False and an int; which ints are refused."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

WORLD_SIZE = 4


def _after_forward(rank, **options):
    """Return the rows of (block weight, root weight) after forward; 16 and 8 are whole."""
    net = shard(Net(), **options)
    loss = net(batch(rank)).sum()
    rows = []
    for weight in (net.blocks[0].up.weight, net.head.weight):
        rows.append((weight.to_local() if isinstance(weight, DTensor) else weight).shape[0])
    loss.backward()
    assert isinstance(net.head.weight, DTensor)
    assert net.head.weight.to_local().shape[0] == 2
    return rows


def probe(rank, world_size):
    """Forward with each value on 4 ranks."""
    seen = {
        "None": _after_forward(rank),
        "True": _after_forward(rank, reshard_after_forward=True),
        "False": _after_forward(rank, reshard_after_forward=False),
        "2": _after_forward(rank, reshard_after_forward=2),
        "4": _after_forward(rank, reshard_after_forward=4),
        "1": _after_forward(rank, reshard_after_forward=1),
    }
    assert seen == {
        "None": [4, 8],
        "True": [4, 2],
        "False": [16, 8],
        "2": [8, 4],
        "4": [4, 2],
        "1": [16, 8],
    }, seen
    message = raises(ValueError, "factor of 4", lambda: fully_shard(torch.nn.Linear(4, 4), reshard_after_forward=3))
    raises(ValueError, "bool or an int", lambda: fully_shard(torch.nn.Linear(4, 4), reshard_after_forward="yes"))
    return {"rows after forward (block of 16, root of 8)": seen, "3 on 4 ranks": message}
