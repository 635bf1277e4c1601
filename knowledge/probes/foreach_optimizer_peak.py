"""AdamW with foreach needs a temporary as large as all parameters of the rank; the loop needs one parameter's."""

import torch
from _lab import Net, batch, shard
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode


class Temporaries(TorchDispatchMode):
    """Notes the largest new result of one operator, in elements of this rank."""

    def __init__(self):
        """Start at zero."""
        super().__init__()
        self.largest = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Add up what the operator returned, in-place operators left aside."""
        if any(issubclass(kind, DTensor) for kind in types):
            return NotImplemented
        result = func(*args, **(kwargs or {}))
        if not func._schema.name.endswith("_") and "zeros_like" not in func._schema.name:
            tensors = result if isinstance(result, list | tuple) else [result]
            self.largest = max(self.largest, sum(t.numel() for t in tensors if isinstance(t, torch.Tensor)))
        return result


def _largest(rank, **options):
    net = shard(Net())
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1, **options)
    for _ in range(2):
        net(batch(rank)).sum().backward()
        with Temporaries() as temporaries:
            optimizer.step()
    sizes = [parameter.to_local().numel() for parameter in net.parameters()]
    return temporaries.largest, sum(sizes), max(sizes)


def probe(rank, world_size):
    """Compare the two implementations."""
    foreach, whole, one = _largest(rank, foreach=True)
    loop, _, _ = _largest(rank, foreach=False)
    assert foreach == whole, (foreach, whole)
    # one parameter, or two of it in one call (2.11), but never all of them
    assert one <= loop <= 2 * one < whole, (loop, one, whole)
    return {"foreach": foreach, "loop": loop, "parameters of a rank": whole}
