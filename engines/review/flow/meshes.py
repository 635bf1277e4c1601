"""Meshes: shape and dimension names of a device mesh, as far as they are written down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from engines.review.flow.knowing import constant, options
from engines.review.flow.names import DEVICE_MESH, INIT_MESH
from engines.review.flow.trace import Event
from engines.review.flow.values import Const, Obj, Seq, Value

REPLICATE = re.compile(r"repl|^dp_outer$|^inter|^ddp$|^node", re.IGNORECASE)
"""Names of dimensions that replicate."""
SHARD = re.compile(r"shard|^fsdp|^intra|^dp_inner$", re.IGNORECASE)
"""Names of dimensions that shard."""
OTHER = re.compile(
    r"^(tp|cp|pp|ep|sp|mp|etp|tensor|context|pipe|pipeline|expert|sequence|model)(_?parallel)?$|^ulysses", re.IGNORECASE
)
"""Names of dimensions that are neither."""


class Mesh(NamedTuple):
    """A mesh as it is made or sliced."""

    made: Event
    """The call that made the mesh."""
    rank: int | None
    """Number of dimensions; None where it is not known."""
    sizes: tuple[Value, ...]
    """Sizes of the dimensions; empty for a slice."""
    names: tuple[str, ...]
    """Names of the dimensions; empty where there are none or they are not known."""
    named: bool
    """Whether names were given at all."""


def meshes(value: Value | None) -> Iterator[Mesh]:
    """Yield what is known of a mesh; nothing where it may be one of several. None stands for one not yet made."""
    given = [option for option in options(value) if not (isinstance(option, Const) and option.value is None)]
    if len(given) == 1 and isinstance(given[0], Obj):
        yield from _mesh(given[0])


def possible_meshes(value: Value | None) -> Iterator[Mesh]:
    """Yield what is known of each mesh that a value may be."""
    for option in options(value):
        yield from meshes(option)


def _mesh(obj: Obj) -> Iterator[Mesh]:
    if obj.op == "item" and isinstance(obj.parent, Obj) and obj.parent.qual in (INIT_MESH, DEVICE_MESH):
        names = _strings(obj.sources[1]) if len(obj.sources) > 1 else ()
        assert obj.parent.made is not None
        yield Mesh(obj.parent.made, len(names) or None, (), names, bool(names))
        return
    if obj.qual not in (INIT_MESH, DEVICE_MESH) or obj.op not in ("call", "attr") or obj.made is None:
        return
    made = obj.made
    names = _strings(made.arg(2, "mesh_dim_names"))
    shape = made.arg(1, "mesh_shape") if obj.qual == INIT_MESH else None
    sizes = tuple(shape.items) if isinstance(shape, Seq) and not shape.more else ()
    given = made.arg(2, "mesh_dim_names")
    named = given is not None and not (isinstance(given, Const) and given.value is None)
    rank = len(sizes) or len(names) or (_dimensions(made.arg(1, "mesh")) if obj.qual == DEVICE_MESH else None)
    yield Mesh(made, rank, sizes, names, named or "**" in made.kwargs)


def _dimensions(layout: Value | None) -> int | None:
    """Return the number of dimensions of the ranks that DeviceMesh is given: nested lists, arange(8).view(2, 4)."""
    if isinstance(layout, Seq) and layout.items and not layout.more:
        return 1 + (_dimensions(layout.items[0]) or 0 if isinstance(layout.items[0], Seq) else 0)
    made = layout.made if isinstance(layout, Obj) else None
    if made is None:
        return None
    if made.method in ("view", "reshape") and "*" not in made.kwargs:
        first = made.args[0] if made.args else None
        return len(first.items) if isinstance(first, Seq) else len(made.args)
    return 1 if made.qual == "torch.arange" else None


def _strings(value: Value | None) -> tuple[str, ...]:
    if isinstance(value, Const) and isinstance(value.value, str):
        return (value.value,)
    if isinstance(value, Seq) and not value.more:
        found = tuple(constant(item) for item in value.items)
        return tuple(str(item) for item in found) if all(isinstance(item, str) for item in found) else ()
    return ()
