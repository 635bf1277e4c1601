"""The reason for a mesh, in words and with its arithmetic."""

from collections.abc import Sequence

from engines.sizing.scale.meshes import EQUAL, Mesh, Place
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape

_SHOWN = 0.0005
"""Gains below are rounding."""


def mesh_because(chosen: Mesh, found: Sequence[Mesh], place: Place) -> str:
    """Return why a mesh is taken.

    Args:
        chosen: The mesh.
        found: All that there are, full sharding among them.
        place: Machines and memory.
    """
    limit = place.limit_gib
    if chosen.fits is False and limit is not None:
        return _none_fits(chosen, found, limit)
    speed = chosen.speed.tokens_per_s_per_gpu
    fastest = max(found, key=lambda mesh: mesh.speed.tokens_per_s_per_gpu)
    said = f"{_called(chosen)[0].upper()}{_called(chosen)[1:]}: {chosen.reserved_gib:.1f} GiB"
    said += f" of {limit:.1f} GiB" if limit is not None else ""
    said += f", {speed:,.0f} tokens/s per GPU"
    gain = fastest.speed.tokens_per_s_per_gpu / speed - 1
    if fastest is not chosen and fastest.fits is False:
        said += f"; {_called(fastest)} would be {gain:.1%} faster and does not fit"
    elif gain > EQUAL:
        how = "in a script of your own" if fastest.kind == "reshard_to_node" else "and was not asked for"
        said += f"; {_called(fastest)} would be {gain:.1%} faster, {how}"
    elif gain > _SHOWN:
        said += (
            f"; {_called(fastest)} is {gain:.1%} faster, which is within {EQUAL:.0%} and not worth its memory or care"
        )
    return said + _beside_full_sharding(chosen, found) + "."


def _none_fits(chosen: Mesh, found: Sequence[Mesh], limit_gib: float) -> str:
    said = f"No mesh fits: {_called(chosen)} takes {chosen.reserved_gib:.1f} GiB of {limit_gib:.1f} GiB"
    leanest = min([mesh for mesh in found if mesh.exact] or [chosen], key=lambda mesh: mesh.reserved_gib)
    if leanest is not chosen:
        said += f"; the leanest, {_called(leanest)}, {leanest.reserved_gib:.1f} GiB"
    return said + "; another way to save memory is needed."


def _beside_full_sharding(chosen: Mesh, found: Sequence[Mesh]) -> str:
    """Return why full sharding was not taken, where it was not."""
    full = next((mesh for mesh in found if mesh.kind == "full_shard"), chosen)
    if full is chosen:
        return ""
    more = chosen.speed.tokens_per_s_per_gpu / full.speed.tokens_per_s_per_gpu - 1
    if full.fits is False:
        why = (
            "tensors with fewer rows than ranks are padded"
            if full.reserved_gib > chosen.reserved_gib
            else "it is larger"
        )
        return f"; full sharding takes {full.reserved_gib:.1f} GiB and does not fit ({why})"
    if more <= _SHOWN:
        return f"; as fast as full sharding, with {chosen.reserved_gib - full.reserved_gib:+.1f} GiB"
    return (
        f"; {more:.1%} faster than full sharding, for it sends {chosen.network_gb:.0f} GB in place of "
        f"{full.network_gb:.0f} through a machine's adapters in each step"
    )


def mesh_arithmetic(shape: ModelShape, found: Sequence[Mesh], per_node: int) -> tuple[str, ...]:
    """Return the bytes through one machine's adapters for each kind of mesh, to be checked by hand."""
    lines = []
    for kind in ("full_shard", "reshard_to_node", "hsdp"):
        of_kind = [mesh for mesh in found if mesh.kind == kind]
        if of_kind:
            lines.append(_line(shape, of_kind[-1], per_node))
    return tuple(lines)


def _line(shape: ModelShape, mesh: Mesh, per_node: int) -> str:
    setup = mesh.setup
    reduce_bytes, times = DTYPE_BYTES[setup.reduce_dtype], setup.grad_accum
    reductions = 1 if setup.accumulate_unsharded else times
    shard, copies = setup.shard_ranks, setup.dp_replicate
    total = f"= {mesh.network_gb:,.1f} GB through a machine's adapters in a step"
    if shard * setup.tp <= per_node:
        return (
            f"{_called(mesh)}: {reductions} x 2 x {copies - 1}/{copies} x {reduce_bytes} bytes x {shape.params:,} "
            f"parameters {total}, and no gathers"
        )
    gathers = times * (2 if setup.reshards and not setup.post_forward_ranks else 1)
    text = (
        f"{_called(mesh)}: ({gathers} gathers x {setup.act_bytes} + {reductions} reductions x {reduce_bytes}) bytes x "
    )
    text += f"{shape.params:,} parameters x {shard - 1}/{shard}"
    if copies > 1:
        text += f", and 2 x {copies - 1}/{copies} x {reduce_bytes} bytes of a machine's share of the gradients"
    return f"{text} (the root is gathered once) {total}" if gathers > times else f"{text} {total}"


def _called(mesh: Mesh) -> str:
    setup: TrainingSetup = mesh.setup
    if mesh.kind == "hsdp":
        return f"HSDP with {setup.dp_replicate} replicas of {setup.shard_ranks} ranks"
    whole = f"full sharding over {setup.shard_ranks} ranks"
    if mesh.kind == "reshard_to_node":
        return f"{whole}, resharded to {setup.post_forward_ranks} after forward"
    return whole
