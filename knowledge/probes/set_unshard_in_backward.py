"""set_unshard_in_backward(False) skips the all-gather before backward of a unit that does not need its weights."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


class _Counting:
    """All-gather that counts its calls."""

    def __init__(self):
        self.calls = 0

    def allocate(self, size, *, dtype, device):
        return torch.empty(*size, dtype=dtype, device=device)

    def __call__(self, output_tensor, input_tensor, group, async_op=False):
        self.calls += 1
        return dist.all_gather_into_tensor(output_tensor, input_tensor, group=group, async_op=async_op)


class Words(nn.Module):
    """Embedding and a linear layer."""

    def __init__(self):
        """Make both."""
        super().__init__()
        self.embed = nn.Embedding(8, 4)
        self.linear = nn.Linear(4, 4)

    def forward(self, ids):
        """Embed and map."""
        return self.linear(self.embed(ids))


def _run(unshard_in_backward):
    torch.manual_seed(0)
    net = Words()
    fully_shard(net.embed)
    fully_shard(net.linear)
    fully_shard(net)
    net.embed.set_unshard_in_backward(unshard_in_backward)
    counting = _Counting()
    net.embed.set_custom_all_gather(counting)
    net(torch.arange(4)).sum().backward()
    return counting.calls, net.embed.weight.grad.full_tensor()


def probe(rank, world_size):
    """Count the embedding's all-gathers with and without, and compare its gradient."""
    with_gather, gradient = _run(True)
    without, same = _run(False)
    assert (with_gather, without) == (2, 1), (with_gather, without)
    assert torch.equal(gradient, same)
    return {"all-gathers": with_gather, "all-gathers with False": without, "gradient equal": True}
