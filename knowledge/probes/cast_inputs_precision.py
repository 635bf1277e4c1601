"""What cast_forward_inputs casts: floating tensors in containers and dataclasses, not in other objects."""

import dataclasses

import torch
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

EXACT = 1001.0
"""Not a bf16 number: it becomes 1000."""


@dataclasses.dataclass
class Data:
    """A dataclass with a tensor."""

    value: torch.Tensor


class Plain:
    """An object with a tensor, not a dataclass."""

    def __init__(self, value):
        """Keep the tensor."""
        self.value = value


class Reader(nn.Module):
    """Notes what its forward was given."""

    def __init__(self):
        """One parameter, so that there is something to shard."""
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 2))

    def forward(self, x, ids, box, named, data, plain):
        """Note the dtypes and return something that needs the weight."""
        tensors = {"arg": x, "int": ids, "list": box[0], "dict": named["a"], "dataclass": data.value}
        tensors["object"] = plain.value
        self.dtypes = {name: str(value.dtype).removeprefix("torch.") for name, value in tensors.items()}
        self.position = float(x[0, 0])
        return x.to(self.weight.dtype) @ self.weight


def _call(cast):
    net = Reader()
    fully_shard(net, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, cast_forward_inputs=cast))
    x = torch.full((1, 2), EXACT)
    net(x, torch.tensor([1001]), [x], named={"a": x}, data=Data(x), plain=Plain(x))
    return net.dtypes, net.position


def probe(rank, world_size):
    """Pass the same number in six ways, with and without the cast."""
    dtypes, position = _call(True)
    low = dict.fromkeys(["arg", "list", "dict", "dataclass"], "bfloat16")
    assert dtypes == {**low, "int": "int64", "object": "float32"}, dtypes
    assert position == 1000.0, position
    kept, position = _call(False)
    assert position == EXACT, position
    assert set(kept.values()) == {"float32", "int64"}, kept
    return {"cast": dtypes, "1001 becomes": 1000.0}
