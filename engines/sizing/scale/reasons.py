"""The reason for a mesh, in words and with its arithmetic."""

from collections.abc import Sequence

from contracts.request import Language
from engines.sizing.scale.meshes import EQUAL, Mesh, Place
from engines.sizing.setup import DTYPE_BYTES
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say

_SHOWN = 0.0005
"""Gains below are rounding."""


def mesh_because(chosen: Mesh, found: Sequence[Mesh], place: Place, language: Language = "en") -> str:
    """Return why a mesh is taken.

    Args:
        chosen: The mesh.
        found: All that there are, full sharding among them.
        place: Machines and memory.
        language: In which language.
    """
    limit = place.limit_gib
    if chosen.fits is False and limit is not None:
        return _none_fits(chosen, found, limit, language)
    speed = chosen.speed.tokens_per_s_per_gpu
    called = _called(chosen, language)
    said = say("mesh_peak", language, mesh=called[0].upper() + called[1:], peak=chosen.reserved_gib)
    said += say("mesh_limit", language, limit=limit) if limit is not None else ""
    said += say("mesh_speed", language, speed=speed)
    fastest = max(found, key=lambda mesh: mesh.speed.tokens_per_s_per_gpu)
    gain = fastest.speed.tokens_per_s_per_gpu / speed - 1
    key = ""
    if fastest is not chosen and fastest.fits is False:
        key = "mesh_no_fit"
    elif gain > EQUAL:
        key = "mesh_own_script" if fastest.kind == "reshard_to_node" else "mesh_not_asked"
    elif gain > _SHOWN:
        key = "mesh_alike"
    said += say(key, language, mesh=_called(fastest, language), gain=gain, within=EQUAL) if key else ""
    return said + _beside_full_sharding(chosen, found, language) + "."


def _none_fits(chosen: Mesh, found: Sequence[Mesh], limit_gib: float, language: Language) -> str:
    named = {"mesh": _called(chosen, language), "peak": chosen.reserved_gib}
    said = say("mesh_none", language, limit=limit_gib, **named)
    leanest = min([mesh for mesh in found if mesh.exact] or [chosen], key=lambda mesh: mesh.reserved_gib)
    if leanest is not chosen:
        said += say("mesh_leanest", language, mesh=_called(leanest, language), peak=leanest.reserved_gib)
    return said + say("mesh_other_way", language)


def _beside_full_sharding(chosen: Mesh, found: Sequence[Mesh], language: Language) -> str:
    """Return why full sharding was not taken, where it was not."""
    full = next((mesh for mesh in found if mesh.kind == "full_shard"), chosen)
    if full is chosen:
        return ""
    more = chosen.speed.tokens_per_s_per_gpu / full.speed.tokens_per_s_per_gpu - 1
    if full.fits is False:
        why = say("mesh_padded" if full.reserved_gib > chosen.reserved_gib else "mesh_larger", language)
        return say("mesh_full_no_fit", language, peak=full.reserved_gib, why=why)
    if more <= _SHOWN:
        return say("mesh_as_fast", language, gib=chosen.reserved_gib - full.reserved_gib)
    return say("mesh_faster", language, more=more, gb=chosen.network_gb, full=full.network_gb)


def mesh_arithmetic(
    shape: ModelShape, found: Sequence[Mesh], per_node: int, language: Language = "en"
) -> tuple[str, ...]:
    """Return the bytes through one machine's adapters for each kind of mesh, to be checked by hand."""
    lines = []
    for kind in ("full_shard", "reshard_to_node", "hsdp"):
        of_kind = [mesh for mesh in found if mesh.kind == kind]
        if of_kind:
            lines.append(_line(shape, of_kind[-1], per_node, language))
    return tuple(lines)


def _line(shape: ModelShape, mesh: Mesh, per_node: int, language: Language) -> str:
    setup = mesh.setup
    times = setup.grad_accum
    shard, copies = setup.shard_ranks, setup.dp_replicate
    values = {
        "mesh": _called(mesh, language),
        "times": 1 if setup.accumulate_unsharded else times,
        "reduce": DTYPE_BYTES[setup.reduce_dtype],
        "params": shape.params,
        "gb": mesh.network_gb,
        "copies": copies,
        "less": copies - 1,
    }
    if shard * setup.tp <= per_node:
        return say("bytes_replicas", language, **values)
    gathers = times * (2 if setup.reshards and not setup.post_forward_ranks else 1)
    return say(
        "bytes_sharded",
        language,
        gathers=gathers,
        act=setup.act_bytes,
        shard=shard,
        less_shard=shard - 1,
        replicas=say("bytes_of_replicas", language, **values) if copies > 1 else "",
        root=say("bytes_root", language) if gathers > times else "",
        **values,
    )


def _called(mesh: Mesh, language: Language) -> str:
    names = {"hsdp": "mesh_hsdp", "reshard_to_node": "mesh_to_node"}
    setup = mesh.setup
    counts = {"copies": setup.dp_replicate, "shard": setup.shard_ranks, "kept": setup.post_forward_ranks}
    return say(names.get(mesh.kind, "mesh_full"), language, **counts)
