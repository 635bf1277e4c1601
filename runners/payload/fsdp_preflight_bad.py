"""Which nodes are not fit for a job, and why. Standard library only."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

Check = dict[str, Any]
_GIB = 1 << 30
_FAR_SLOWER = 4.0
"""So many times slower than the median of all nodes: a bad link or a wrong interface, no noise."""
_SKEW_S = 5.0
"""Beyond it the events of a node cannot be put in order, and certificates may not hold."""


def node_checks(
    within: Mapping[str, float | None],
    between: float | None,
    pairs: Mapping[str, float],
    disk: Mapping[str, Mapping[str, Any]],
    checkpoint_gib: float | None,
    checkpoint_s: float | None,
) -> list[Check]:
    """Return the checks of several nodes.

    Args:
        within: Bus bandwidth within each node in GB/s; None where it has one rank.
        between: Bus bandwidth between one rank of each node in GB/s.
        pairs: Bandwidth between the first node and each other one in GB/s.
        disk: What `shared_disk` found, by node.
        checkpoint_gib: Size of a checkpoint in GiB, where it is known.
        checkpoint_s: Seconds that it may take.
    """
    inner = {name: speed for name, speed in within.items() if speed is not None}
    checks = []
    if inner:
        least = min(inner, key=lambda name: inner[name])
        checks.append(_check("within_nodes", "ok", f"{inner[least]:.3g} GB/s (bus) or more, least on {least}"))
    if between is not None:
        slowest = min(pairs, key=lambda name: pairs[name]) if pairs else None
        told = "" if slowest is None else f"; {pairs[slowest]:.3g} GB/s to {slowest}, the slowest"
        checks.append(_check("between_nodes", "ok", f"{between:.3g} GB/s (bus) among all{told}"))
    return [*checks, _shared(disk, checkpoint_gib, checkpoint_s)]


def bad_nodes(
    facts: Sequence[Mapping[str, Any]],
    skews: Sequence[Sequence[float]],
    within: Mapping[str, float | None],
    pairs: Mapping[str, float],
    disk: Mapping[str, Mapping[str, Any]],
) -> dict[str, str]:
    """Return the nodes that are not fit, each with the reason.

    Args:
        facts: `host_facts` of each rank, in order of rank.
        skews: Seconds ahead of rank 0's clock and their error, by rank.
        within: Bus bandwidth within each node in GB/s.
        pairs: Bandwidth between the first node and each other one in GB/s.
        disk: What `shared_disk` found, by node.
    """
    bad: dict[str, list[str]] = {}
    for key in ("python", "torch", "cuda", "nccl"):
        for name, value, most in _odd_ones(facts, key):
            bad.setdefault(name, []).append(f"{key} {value}, most have {most}")
    for fact, (ahead_s, error_s) in zip(facts, skews, strict=True):
        if abs(ahead_s) - error_s > _SKEW_S and str(fact["host"]) not in bad:
            bad.setdefault(str(fact["host"]), []).append(f"its clock is {ahead_s:.1f} s ahead of the first node's")
    for speeds, what in ((within, "within it"), (pairs, "to the first node")):
        for name, speed, most in _slow_ones(speeds):
            bad.setdefault(name, []).append(f"{speed:.3g} GB/s {what}, half of the nodes have {most:.3g} or more")
    for name, found in disk.items():
        if found["problem"]:
            bad.setdefault(name, []).append(str(found["problem"]))
        elif not found["sees"]:
            bad.setdefault(name, []).append("it does not see what the first node wrote: the folder is not shared")
    return {name: "; ".join(reasons) for name, reasons in bad.items()}


def _odd_ones(facts: Sequence[Mapping[str, Any]], key: str) -> list[tuple[str, Any, Any]]:
    """Return (node, value, usual value) where a node differs from what more than half of them have."""
    values = {str(fact["host"]): fact.get(key) for fact in facts}
    most = statistics.mode(values.values())
    if 2 * sum(value == most for value in values.values()) <= len(values):
        return []  # one of two: nobody knows which is right
    return [(name, value, most) for name, value in values.items() if value != most]


def _slow_ones(speeds: Mapping[str, float | None]) -> list[tuple[str, float, float]]:
    known = {name: speed for name, speed in speeds.items() if speed is not None}
    if len(known) < 3:
        return []
    middle = statistics.median(known.values())
    return [(name, speed, middle) for name, speed in known.items() if speed * _FAR_SLOWER < middle]


def _shared(disk: Mapping[str, Mapping[str, Any]], checkpoint_gib: float | None, checkpoint_s: float | None) -> Check:
    blind = [name for name, found in disk.items() if found["problem"] or not found["sees"]]
    if blind:
        hint = "the run folder must lie on a file system that all nodes share"
        return _check("shared_folder", "missing", f"not shared with, or not writable on {', '.join(blind)}", hint)
    total = sum(float(found["bytes_per_s"]) for found in disk.values())
    value = f"{len(disk)} nodes write {total / 1e9:.3g} GB/s together"
    if checkpoint_gib is None or checkpoint_s is None:
        return _check("shared_folder", "ok", value)
    needed_s = checkpoint_gib * _GIB / total
    value += f": a checkpoint of {checkpoint_gib:.3g} GiB takes {needed_s:.3g} s of {checkpoint_s:.0f} allowed"
    hint = "a faster file system, or a higher watch.checkpoint_s: else saving counts as a hang"
    return _check("shared_folder", "ok" if needed_s <= checkpoint_s else "missing", value, hint)


def _check(name: str, verdict: str, value: str, hint: str = "") -> Check:
    return {"name": name, "verdict": verdict, "value": value, "hint": "" if verdict == "ok" else hint}
