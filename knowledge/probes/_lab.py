"""What probes share: a small model, and the two ways in which an expectation is stated."""

import time

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Block(nn.Module):
    """Two linear layers with a residual, the stand-in for a transformer block."""

    def __init__(self, width=8):
        """Make the layers; `width` features in and out."""
        super().__init__()
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        """Map (batch, width) to (batch, width)."""
        return x + self.down(torch.relu(self.up(x)))


class Net(nn.Module):
    """Embedding-like input layer, blocks, head: parameters in blocks and in the root."""

    def __init__(self, blocks=2, width=8):
        """Make `blocks` blocks between an input layer and a head."""
        super().__init__()
        self.inp = nn.Linear(width, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(blocks))
        self.head = nn.Linear(width, width)

    def forward(self, x):
        """Map (batch, width) to (batch, width)."""
        x = self.inp(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def shard(net, **options):
    """Apply fully_shard to each block and then to the root; returns the net."""
    for block in net.blocks:
        fully_shard(block, **options)
    return fully_shard(net, **options)


def batch(rank, width=8, size=4):
    """Return this rank's own batch, (size, width), the same at every call."""
    return torch.randn(size, width, generator=torch.Generator().manual_seed(100 + rank))


def raises(kind, text, call):
    """Assert that `call()` raises `kind` with `text` in its message, and return the message.

    The kind is checked with isinstance, so BaseException takes everything.
    """
    try:
        call()
    except BaseException as error:
        assert isinstance(error, kind), f"expected {kind}, got {type(error).__name__}: {error}"
        assert text in str(error), f"expected {text!r} in: {error}"
        return str(error)
    raise AssertionError(f"expected {kind} with {text!r}, but nothing was raised")


def hangs(call, at_least_s):
    """Assert that `call()` waits for a peer until the group's time-out, and return that it did.

    Args:
        call: What is expected to wait; the group's time-out must be short.
        at_least_s: Seconds that it must have waited, somewhat less than the time-out.
    """
    started_s = time.monotonic()
    try:
        call()
    except BaseException as error:
        waited_s = time.monotonic() - started_s
        assert waited_s >= at_least_s, f"gave up after {waited_s:.1f} s already: {error}"
        return True
    raise AssertionError("expected a hang, but the call returned")
