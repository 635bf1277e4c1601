"""Precision: dtypes of mixed-precision policies and of casts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engines.review.flow.knowing import options
from engines.review.flow.sharding import Shard
from engines.review.flow.trace import Event
from engines.review.flow.values import Const, Ext, Obj, Value

POLICIES = ("torch.distributed.fsdp.MixedPrecisionPolicy", "torch.distributed.fsdp.MixedPrecision")
LOW = ("float16", "bfloat16")
_DTYPES = {"half": "float16", "bfloat16": "bfloat16", "float": "float32", "double": "float64", "float16": "float16"}


class Policy(NamedTuple):
    """A mixed-precision policy; a dtype is "" where it is absent and "?" where it is not known."""

    made: Event
    param: str
    reduce: str


def dtype_name(value: Value | None) -> str:
    """Return the name of a torch dtype: "" for none, "?" where it is not known."""
    if value is None or (isinstance(value, Const) and value.value is None):
        return ""
    found = {_dtype(option) for option in options(value)}
    return found.pop() if len(found) == 1 else "?"


def _dtype(value: Value) -> str:
    if isinstance(value, Ext) and value.name.startswith("torch."):
        name = value.name.rpartition(".")[2]
        return _DTYPES.get(name, name)
    if isinstance(value, Const):
        if value.value is None:
            return ""
        return str(value.value).rpartition(".")[2]
    return "?"


def read_policy(event: Event) -> Policy:
    """Return the dtypes of a policy's constructor call."""
    unknown = "?" if "**" in event.kwargs or "*" in event.kwargs else ""
    param, reduce = event.arg(0, "param_dtype"), event.arg(1, "reduce_dtype")
    return Policy(
        event,
        dtype_name(param) if param is not None else unknown,
        dtype_name(reduce) if reduce is not None else unknown,
    )


def policies(shard: Shard) -> Iterator[Policy]:
    """Yield the policy that a sharding call is given; nothing where it is one of several."""
    name = "mp_policy" if shard.kind == "fsdp2" else "mixed_precision"
    policy = shard.event.kwargs.get(name)
    if isinstance(policy, Obj) and policy.qual in POLICIES and policy.made is not None:
        yield read_policy(policy.made)


def cast(event: Event) -> str:
    """Return the dtype to which a method call casts its receiver, "" where it casts nothing."""
    if event.method in ("half", "bfloat16", "float", "double") and not event.args:
        return _DTYPES[event.method]
    if event.method in ("to", "type"):
        for value in (*event.args, *(v for k, v in event.kwargs.items() if k == "dtype")):
            name = dtype_name(value)
            if name in ("float16", "bfloat16", "float32", "float64"):
                return name
    return ""
