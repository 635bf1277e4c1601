"""Methods other than forward bypass the hooks; register_fsdp_forward_method or unshard() mends it."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method
from torch.distributed.tensor import DTensor


class Coder(nn.Module):
    """A module with a second entry point."""

    def __init__(self):
        """Make one layer."""
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        """Encode and square."""
        return self.encode(x).square()

    def encode(self, x):
        """Encode."""
        return self.linear(x)


def probe(rank, world_size):
    """Call encode() bare, between unshard() and reshard(), and registered; call .forward directly."""
    x = torch.ones(2, 4)
    net = fully_shard(Coder())
    message = raises(RuntimeError, "mixed torch.Tensor and DTensor", lambda: net.encode(x))
    raises(RuntimeError, "mixed torch.Tensor and DTensor", lambda: net.forward(x))
    net.unshard()
    by_hand = net.encode(x)
    net.reshard()
    registered = fully_shard(Coder())
    registered.load_state_dict(net.state_dict())
    register_fsdp_forward_method(registered, "encode")
    out = registered.encode(x)
    assert torch.equal(out, by_hand)
    out.sum().backward()
    assert isinstance(registered.linear.weight, DTensor)
    assert registered.linear.weight.grad is not None
    register_fsdp_forward_method(nn.Linear(2, 2), "anything")
    raises(ValueError, "does not have a method", lambda: register_fsdp_forward_method(registered, "missing"))
    return {"bare": message.splitlines()[0][:80], "registered": "trains", "not an FSDPModule": "no effect, no error"}
