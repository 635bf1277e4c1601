"""What the reduction of one unit allocates: its whole gradient in the reduce dtype, and a shard of it."""

import torch
import torch.distributed as dist
from _lab import Net, batch, shard
from torch.distributed.fsdp import MixedPrecisionPolicy


class Noting:
    """Reduce-scatter that notes the buffers it is asked for."""

    def __init__(self):
        """Start with nothing seen."""
        self.buffers = []

    def allocate(self, size, *, dtype, device):
        """Note one buffer and make it."""
        buffer = torch.empty(*size, dtype=dtype, device=device)
        self.buffers.append((buffer.numel(), dtype))
        return buffer

    def __call__(self, output_tensor, input_tensor, group, op, async_op=False):
        """Reduce-scatter as usual."""
        return dist.reduce_scatter_tensor(output_tensor, input_tensor, op=op, group=group, async_op=async_op)


def probe(rank, world_size):
    """Reduce a bf16 block in fp32 and look at the buffers and the gradient's dtype."""
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    net = shard(Net(blocks=1), mp_policy=policy)
    comm = Noting()
    block = net.blocks[0]
    block.set_custom_reduce_scatter(comm)
    unit = sum(parameter.numel() for parameter in block.parameters())
    net(batch(rank)).sum().backward()
    assert (unit, torch.float32) in comm.buffers, comm.buffers
    assert all(dtype == torch.float32 for _, dtype in comm.buffers), comm.buffers
    return {"parameters of the unit": unit, "buffers, elements in fp32": [numel for numel, _ in comm.buffers]}
