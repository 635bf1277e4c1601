"""A unit that is called twice in one forward is gathered twice and its gradients add up."""

import torch
import torch.distributed as dist
from _lab import Block, batch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Twice(nn.Module):
    """One block, applied twice."""

    def __init__(self):
        """Make the block."""
        super().__init__()
        self.block = Block()

    def forward(self, x):
        """Apply it twice."""
        return self.block(self.block(x))


class _Counting:
    def __init__(self):
        self.calls = 0

    def allocate(self, size, *, dtype, device):
        return torch.empty(*size, dtype=dtype, device=device)

    def __call__(self, output_tensor, input_tensor, group, async_op=False):
        self.calls += 1
        return dist.all_gather_into_tensor(output_tensor, input_tensor, group=group, async_op=async_op)


def probe(rank, world_size):
    """Compare the gradient with an unsharded copy, on the same batch on all ranks."""
    net, reference = Twice(), Twice()
    reference.load_state_dict(net.state_dict())
    fully_shard(net.block)
    fully_shard(net)
    counting = _Counting()
    net.block.set_custom_all_gather(counting)
    x = batch(0)
    out = net(x)
    forward = counting.calls
    out.square().mean().backward()
    reference(x).square().mean().backward()
    for mine, theirs in zip(net.parameters(), reference.parameters(), strict=True):
        assert torch.allclose(mine.grad.full_tensor(), theirs.grad, atol=1e-6)
    assert forward == 2, forward
    return {"all-gathers in forward": forward, "all-gathers in all": counting.calls, "gradient equal": True}
