"""The arguments of fully_shard, their defaults, and that children do not inherit them."""

import inspect

import torch
from _lab import Net
from torch.distributed.fsdp import MixedPrecisionPolicy, OffloadPolicy, fully_shard


def probe(rank, world_size):
    """Read the signature; give a policy to the root only and look at a block's."""
    parameters = inspect.signature(fully_shard).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items() if name != "module"}
    assert defaults.pop("mp_policy") == MixedPrecisionPolicy()
    assert type(defaults.pop("offload_policy")) is OffloadPolicy
    expected = {"mesh", "reshard_after_forward", "shard_placement_fn", "ignored_params", "dp_mesh_dims"}
    assert set(defaults) == expected, defaults
    assert set(defaults.values()) == {None}
    net = Net()
    for block in net.blocks:
        fully_shard(block)
    fully_shard(net, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    net.unshard()
    net.blocks[0].unshard()
    assert net.head.weight.dtype is torch.bfloat16
    assert net.blocks[0].up.weight.dtype is torch.float32
    return {"arguments": list(parameters), "policy of the root reaches the blocks": False}
