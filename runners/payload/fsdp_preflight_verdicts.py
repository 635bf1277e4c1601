"""From what all ranks found to a verdict for each check. Standard library only.

ok: as it should be; warning: works, with a drawback; missing: a job cannot run so.
"""

from collections.abc import Sequence
from typing import Any

_GIB = 1 << 30
_LOW_SHM_BYTES = 1 * _GIB
_LOW_DISK_BYTES = 10 * _GIB
_LOW_OPEN_FILES = 4096
_LOW_PROCESSES = 4096
"""Threads count as well: a rank has dozens, and so has each of its data workers."""
_ON_CUDA = (("cuda", "CUDA"), ("nccl", "NCCL"), ("gpu", "GPU model"))
_SKEW_S = 1.0
"""Logs and events of two machines cannot be put in order beyond it."""
_SLOW_GB_PER_S = {"cpu": 0.05, "cuda": 1.0}
"""Below it even a 1 Gbit/s network (cpu) or PCIe 3.0 without peer access (cuda) is misused."""

Check = dict[str, Any]


def verdicts(
    facts: list[dict[str, Any]], skews: Sequence[Sequence[float]], bandwidth: list[dict[str, Any]], device: str
) -> list[Check]:
    """Return the checks in the order in which they are told.

    Args:
        facts: `host_facts` of each rank, in order of rank.
        skews: Seconds ahead of rank 0's clock and their error, by rank.
        bandwidth: What `Links.all_reduce` found, by growing size.
        device: `cpu` or `cuda`.
    """
    return [
        _ranks(facts, device),
        _same(facts, "python", "Python"),
        _same(facts, "torch", "torch"),
        *([_same(facts, key, what) for key, what in _ON_CUDA] if device == "cuda" else []),
        _sums(bandwidth),
        _speed(bandwidth, device),
        _interface(facts),
        _clocks(facts, skews),
        _room(facts, "shm_free_bytes", "shared_memory", _LOW_SHM_BYTES, "docker run --ipc=host, or --shm-size=8g"),
        _room(facts, "disk_free_bytes", "disk", _LOW_DISK_BYTES, "a checkpoint takes 12 bytes for each parameter"),
        _open_files(facts),
        _locked_memory(facts),
        _processes(facts),
    ]


def _check(name: str, verdict: str, value: str, hint: str = "") -> Check:
    return {"name": name, "verdict": verdict, "value": value, "hint": "" if verdict == "ok" else hint}


def _ranks(facts: list[dict[str, Any]], device: str) -> Check:
    hosts = sorted({fact["host"] for fact in facts})
    backend = "gloo and nccl" if device == "cuda" else "gloo"
    value = f"{len(facts)} up on {len(hosts)} machine(s) ({', '.join(hosts[:8])}), {backend}"
    return _check("ranks", "ok", value)


def _same(facts: list[dict[str, Any]], key: str, what: str) -> Check:
    ranks: dict[Any, list[int]] = {}
    for fact in facts:
        ranks.setdefault(fact[key], []).append(fact["rank"])
    if len(ranks) == 1:
        return _check(f"same_{key}", "ok", f"{what} {next(iter(ranks))} on every rank")
    groups = "; ".join(f"{value} on ranks {_spans(where)}" for value, where in ranks.items())
    # another card computes, slowly or with less memory; another version may hang or differ
    verdict = "warning" if key == "gpu" else "missing"
    return _check(f"same_{key}", verdict, f"{what} differs: {groups}", "give every rank the same environment")


def _spans(ranks: list[int]) -> str:
    shown = ", ".join(map(str, ranks[:8]))
    return shown + (f" and {len(ranks) - 8} more" if len(ranks) > 8 else "")


def _sums(bandwidth: list[dict[str, Any]]) -> Check:
    wrong = [entry["bytes"] for entry in bandwidth if not entry["right"]]
    if not wrong:
        return _check("all_reduce", "ok", f"{len(bandwidth)} sizes up to {bandwidth[-1]['bytes'] >> 20} MiB are exact")
    hint = "a link or a device changes data: do not train on it"
    return _check("all_reduce", "missing", f"wrong sums at {', '.join(map(str, wrong))} bytes", hint)


def _speed(bandwidth: list[dict[str, Any]], device: str) -> Check:
    largest, smallest = bandwidth[-1], bandwidth[0]
    if largest["bus_gb_per_s"] is None:
        return _check("bandwidth", "ok", "one rank: nothing to send")
    latency_us = smallest["seconds"] * 1e6
    value = f"{largest['bus_gb_per_s']:.3g} GB/s (bus) at {largest['bytes'] >> 20} MiB, "
    value += f"{latency_us:.0f} us at {smallest['bytes'] >> 10} KiB"
    slow = largest["bus_gb_per_s"] < _SLOW_GB_PER_S[device]
    hint = "a wrong interface, no peer access, or too few cores for the ranks: see the interface above"
    return _check("bandwidth", "warning" if slow else "ok", value, hint)


def _interface(facts: list[dict[str, Any]]) -> Check:
    variable = facts[0]["interface_variable"]
    chosen = {fact["interface"] for fact in facts}
    absent = [fact["rank"] for fact in facts if not _present(fact["interface"], fact["interfaces"])]
    if absent:
        value = f"{variable} names no interface of ranks {_spans(absent)}"
        return _check("interface", "missing", value, f"there are: {', '.join(facts[absent[0]]['interfaces'])}")
    many = len({fact["host"] for fact in facts}) > 1
    if chosen != {None}:
        return _check("interface", "ok", f"{variable}={', '.join(sorted(str(name) for name in chosen))}")
    local = [fact["rank"] for fact in facts if fact["address"] is None or fact["address"].startswith("127.")]
    if many and local:
        value = f"not named, and the host name of ranks {_spans(local)} leads to no address of a network"
        return _check("interface", "warning", value, f"set {variable} to the interface of the cluster's network")
    return _check("interface", "ok", f"{variable} is not set: chosen by the library")


def _present(wanted: str | None, interfaces: list[str]) -> bool:
    """Tell whether a setting names an interface: NCCL's may be prefixes, `=exact` or `^excluded`."""
    if wanted is None or wanted.startswith("^"):
        return True
    exact = wanted.startswith("=")
    names = wanted.removeprefix("=").split(",")
    return any(has == name or (not exact and has.startswith(name)) for name in names for has in interfaces)


def _clocks(facts: list[dict[str, Any]], skews: Sequence[Sequence[float]]) -> Check:
    rank = max(range(len(skews)), key=lambda at: abs(skews[at][0]))
    ahead_s, error_s = skews[rank]
    value = f"at most {abs(ahead_s) * 1e3:.3g} ms (+-{error_s * 1e3:.2g}) from rank 0, at rank {facts[rank]['rank']}"
    late = abs(ahead_s) - error_s > _SKEW_S
    return _check("clocks", "warning" if late else "ok", value, "let chrony or ntpd set the machines' clocks")


def _room(facts: list[dict[str, Any]], key: str, name: str, low_bytes: int, hint: str) -> Check:
    known = [fact for fact in facts if fact[key] is not None]
    if not known:
        return _check(name, "warning", "unknown", "it cannot be read here")
    least = min(known, key=lambda fact: int(fact[key]))
    value = f"{least[key] / _GIB:.1f} GiB free on {least['host']}"
    return _check(name, "ok" if least[key] >= low_bytes else "warning", value, hint)


def _open_files(facts: list[dict[str, Any]]) -> Check:
    limits = [fact["open_files"] for fact in facts if fact["open_files"] is not None]
    enough = not limits or min(limits) >= _LOW_OPEN_FILES
    value = str(min(limits)) if limits else "unlimited"
    return _check("open_files", "ok" if enough else "warning", value, "ulimit -n 65536")


def _locked_memory(facts: list[dict[str, Any]]) -> Check:
    limited = [fact for fact in facts if fact["locked_bytes"] is not None]
    if not limited:
        return _check("locked_memory", "ok", "unlimited")
    value = f"{min(fact['locked_bytes'] for fact in limited) / _GIB:.2f} GiB"
    needed = any(fact["infiniband"] for fact in limited)
    value += "" if needed else ", and there is no InfiniBand that needs more"
    return _check("locked_memory", "warning" if needed else "ok", value, "ulimit -l unlimited, for InfiniBand")


def _processes(facts: list[dict[str, Any]]) -> Check:
    limits = [fact["processes"] for fact in facts if fact["processes"] is not None]
    enough = not limits or min(limits) >= _LOW_PROCESSES
    value = str(min(limits)) if limits else "unlimited"
    return _check("processes", "ok" if enough else "warning", value, "ulimit -u 65536, for processes and threads")
