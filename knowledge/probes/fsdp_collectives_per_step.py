"""All-gathers, reduce-scatters and all-reduces of one step: full sharding, ZeRO-2, DDP."""

from collections import Counter

from _lab import Net, batch, shard
from torch.nn.parallel import DistributedDataParallel
from torch.utils._python_dispatch import TorchDispatchMode

KINDS = (("allgather", "all-gather"), ("reduce_scatter", "reduce-scatter"), ("allreduce", "all-reduce"))


class Collectives(TorchDispatchMode):
    """Counts collectives by kind."""

    def __init__(self):
        """Start at zero."""
        super().__init__()
        self.seen = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Note the operator if it is a collective, then run it."""
        name = str(func)
        if name.startswith("c10d."):
            self.seen.update(kind for part, kind in KINDS if part in name)
        return func(*args, **(kwargs or {}))


def _count(net, rank):
    net(batch(rank)).sum().backward()  # what only the first step does is over
    with Collectives() as collectives:
        net(batch(rank)).sum().backward()
    return dict(sorted(collectives.seen.items()))


def probe(rank, world_size):
    """Count the second step of a net with two blocks and a root, three units in all."""
    units = 3
    zero3 = _count(shard(Net(), reshard_after_forward=True), rank)
    zero2 = _count(shard(Net(), reshard_after_forward=False), rank)
    default = _count(shard(Net()), rank)
    ddp = _count(DistributedDataParallel(Net()), rank)
    assert zero3 == {"all-gather": 2 * units, "reduce-scatter": units}, zero3
    assert zero2 == {"all-gather": units, "reduce-scatter": units}, zero2
    assert default == {"all-gather": 2 * units - 1, "reduce-scatter": units}, default
    assert set(ddp) == {"all-reduce"}, ddp
    return {"True": zero3, "False": zero2, "default, root kept": default, "DDP": "all-reduce only"}
