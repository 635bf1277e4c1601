"""Fields and defaults of MixedPrecisionPolicy (FSDP2) and MixedPrecision (FSDP1)."""

import dataclasses

import torch
from _lab import raises
from torch.distributed.fsdp import MixedPrecision, MixedPrecisionPolicy


def probe(rank, world_size):
    """List the fields, and show that a policy cannot be changed."""
    new = {field.name: field.default for field in dataclasses.fields(MixedPrecisionPolicy)}
    assert new == {"param_dtype": None, "reduce_dtype": None, "output_dtype": None, "cast_forward_inputs": True}, new
    old = {field.name: field.default for field in dataclasses.fields(MixedPrecision)}
    del old["_module_classes_to_ignore"]
    assert old == {
        "param_dtype": None,
        "reduce_dtype": None,
        "buffer_dtype": None,
        "keep_low_precision_grads": False,
        "cast_forward_inputs": False,
        "cast_root_forward_inputs": True,
    }, old
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)

    def change():
        policy.reduce_dtype = torch.float32

    raises(dataclasses.FrozenInstanceError, "reduce_dtype", change)
    return {"MixedPrecisionPolicy": list(new), "MixedPrecision": list(old)}
