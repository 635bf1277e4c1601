"""Backward hooks find outputs in tensors, dict, list, tuple and dataclass, not in other objects."""

import dataclasses

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard


@dataclasses.dataclass
class Data:
    """A dataclass."""

    value: torch.Tensor


class Custom:
    """No dataclass."""

    def __init__(self, value):
        """Keep the tensor."""
        self.value = value


class Wrapping(nn.Module):
    """Returns its result in a container."""

    def __init__(self, container):
        """Make the layers."""
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.out = nn.Linear(4, 4)
        self.container = container

    def forward(self, x):
        """Wrap the result."""
        return self.container(self.out(torch.relu(self.layer(x))))


class Parent(nn.Module):
    """Unwraps a sharded child's output."""

    def __init__(self, container, unwrap):
        """Make the child."""
        super().__init__()
        self.child = Wrapping(container)
        self.unwrap = unwrap

    def forward(self, x):
        """Unwrap."""
        return self.unwrap(self.child(x))


def _train(container, unwrap):
    net = Parent(container, unwrap)
    fully_shard(net.child)
    fully_shard(net)
    net(torch.ones(2, 4)).sum().backward()
    assert net.child.layer.weight.grad is not None


def probe(rank, world_size):
    """Train one step with each container."""
    _train(lambda value: {"a": value}, lambda out: out["a"])
    _train(lambda value: (value, 1), lambda out: out[0])
    _train(Data, lambda out: out.value)
    text = raises(RuntimeError, "", lambda: _train(Custom, lambda out: out.value))
    return {"dict, tuple, dataclass": "train", "other class": text[:60]}
