"""What this machine gives to runs: cores, and GPUs by name. Standard library only.

By default all that the supervisor finds. The owner may set less, or what cannot be
found, in the home folder:

```toml
# machine.toml
cores = 16               # cores that runs may take together
gpus = [0, 1, "GPU-5f"]  # GPUs by index or UUID, as CUDA_VISIBLE_DEVICES names them; or how many
```
"""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from contracts.errors import RequestInvalid
from runners.home import Home

_LIMIT_BYTES = 64 << 10
_MOST_GPUS = 1024


class Capacity(NamedTuple):
    """What runs may take of this machine together."""

    cores: int
    """Cores."""
    gpus: tuple[str, ...] = ()
    """GPUs, as CUDA_VISIBLE_DEVICES names them."""
    uuids: tuple[str, ...] = ()
    """UUIDs by index, where a GPU is named by one."""

    def index_of(self, name: str) -> str:
        """Return a GPU's index, so that two spellings of one device are equal; other names as they are."""
        found = [str(index) for index, uuid in enumerate(self.uuids) if not name.isdigit() and uuid.startswith(name)]
        return found[0] if found else name


class Demand(NamedTuple):
    """What one launch takes of this machine."""

    cores: int
    """Cores; a machine that has fewer gives all it has."""
    gpus: int
    """GPUs."""
    among: tuple[str, ...] | None = None
    """GPUs that the launch may use, by its approved CUDA_VISIBLE_DEVICES; None: any."""


def demand_of(launch: dict[str, Any]) -> Demand:
    """Return what a launch takes, by its declared resources.

    Args:
        launch: The LaunchRequest as plain JSON data.
    """
    declared = launch.get("resources") or {}
    ranks = int(declared.get("ranks_per_node") or 1)
    cores, gpus = declared.get("cores_per_node"), declared.get("gpus_per_node")
    if gpus is None:
        gpus = ranks if declared.get("device") == "cuda" else 0
    pinned = (launch.get("env") or {}).get("CUDA_VISIBLE_DEVICES")
    among = None if pinned is None else tuple(name.strip() for name in str(pinned).split(",") if name.strip())
    return Demand(ranks if cores is None else int(cores), int(gpus), among)


def capacity_of(home: Home, demand: Demand) -> Capacity:
    """Return what this machine gives.

    Args:
        home: Where machine.toml is, if there is one.
        demand: What is asked for: GPUs are looked for, which takes a program of the driver,
            only where some are.

    Raises:
        RequestInvalid: machine.toml cannot be read, or holds something else.
    """
    table = owner_table(home)
    cores = table.get("cores") or _usable_cores()
    if not demand.gpus:
        return Capacity(cores)
    listed = table.get("gpus")
    names = tuple(map(str, range(listed) if isinstance(listed, int) else listed or ()))
    if listed is not None and all(name.isdigit() for name in (*names, *(demand.among or ()))):
        return Capacity(cores, names)
    # imported here: it brings subprocess, which the supervisor of CPU ranks need not load
    from runners.devices import gpu_uuids

    uuids = tuple(gpu_uuids())
    return Capacity(cores, tuple(map(str, range(len(uuids)))) if listed is None else names, uuids)


def owner_table(home: Home) -> Mapping[str, Any]:
    """Return what machine.toml says; empty where there is none.

    Raises:
        RequestInvalid: It cannot be read, or holds something else.
    """
    try:
        with open(home.machine, "rb") as stream:
            text = stream.read(_LIMIT_BYTES)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise RequestInvalid(f"{home.machine} cannot be read: {error.strerror}", code="machine_invalid") from None
    import tomllib

    try:
        table = tomllib.loads(text.decode("utf-8"))
    except ValueError as error:
        raise RequestInvalid(f"{home.machine} is no TOML: {error}", code="machine_invalid") from None
    for key, value in table.items():
        if problem := _problem(key, value):
            raise RequestInvalid(f"{home.machine}: {problem}", code="machine_invalid")
    return table


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _problem(key: str, value: Any) -> str:
    if key == "cores":
        fine = type(value) is int and value >= 1
        return "" if fine else f"cores must be a whole number from 1, not {value!r}"
    if key == "gpus":
        some = type(value) is int and 0 <= value <= _MOST_GPUS
        named = isinstance(value, list) and all(type(name) in (int, str) for name in value)
        return "" if some or named else f"gpus must be a number or a list of indices and UUIDs, not {value!r}"
    return f"unknown key {key!r}; known: cores, gpus"
