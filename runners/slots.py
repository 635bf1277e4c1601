"""Slots: which run holds which cores and GPUs of this machine, and which runs wait for some.

There is no scheduler process. Supervisors agree by one folder and one lock: a file for
each run that holds or waits, written under the lock. A holder is known by its
supervisor's identity (pid, start time, boot id) and by the marker of its processes: one
that is dead is passed over and its file removed, one whose job lives on without a
supervisor still holds what it uses. Standard library only.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from runners.capacity import Capacity, Demand
from runners.files import read_object, write_json
from runners.home import Home
from runners.process import Identity, boot_id, from_json, marked
from runners.rundir import RUN_ID

_LIMIT_BYTES = 64 << 10
_SHOWN = 3


class Claim(NamedTuple):
    """What one run holds or waits for."""

    run_id: str
    """The run."""
    since: float
    """Its place in the queue: when it was submitted, or asked to go on; seconds since the epoch."""
    marker: str
    """What its processes are known by."""
    supervisor: Identity
    """Who sees it through."""
    demand: Demand
    """What it takes."""
    holds: bool = False
    """Whether it has it; else it waits."""
    gpus: tuple[str, ...] = ()
    """GPUs that it was given."""


class Room(NamedTuple):
    """The answer to a claim."""

    claim: Claim | None
    """The claim that now holds; None where there is no room yet."""
    words: str = ""
    """What is waited for, for a person."""
    never: bool = False
    """Whether waiting is in vain: this machine does not have so much."""


class Slots:
    """The ledger of one home folder on one machine, since its last start.

    A machine that shares the home folder over a network has a folder of its own, and so
    has this one after a reboot: what was held before it is held no more.
    """

    def __init__(self, home: Home) -> None:
        """Name the folder; nothing is created."""
        self.folder = home.slots / (boot_id() or "unknown")

    def ask(self, claim: Claim, capacity: Capacity) -> Room:
        """Take what a run needs, if there is room and no earlier run waits for it; else queue.

        A run may overtake one that waits only where that one cannot miss what it takes.

        Raises:
            OSError: The ledger cannot be written.
        """
        with self._locked():
            others = [other for other in self._living() if other.run_id != claim.run_id]
            room = _room(claim, others, capacity)
            self._write(room.claim or claim)
        return room

    def keep(self, claim: Claim) -> None:
        """Write down that a run holds something, whoever else does: its job runs already.

        Raises:
            OSError: The ledger cannot be written.
        """
        with self._locked():
            self._write(claim._replace(holds=True))

    def give_back(self, run_id: str) -> None:
        """Free what a run holds, or take it out of the queue; best effort, for a dead holder loses it anyway."""
        with contextlib.suppress(OSError):
            self._path(run_id).unlink()

    def claim_of(self, run_id: str) -> Claim | None:
        """Return what is written of a run; None where there is nothing."""
        return _read(self._path(run_id))

    def changed_ns(self) -> int:
        """Return a number that changes with the ledger: the time of its last change, in nanoseconds."""
        try:
            return self.folder.stat().st_mtime_ns
        except OSError:
            return 0

    def _path(self, run_id: str) -> Path:
        return self.folder / f"{run_id}.json"

    def _living(self) -> list[Claim]:
        """Return the claims of runs that live; those of others are removed."""
        names = [entry.name for entry in os.scandir(self.folder) if RUN_ID.fullmatch(entry.name.removesuffix(".json"))]
        found = [claim for name in names if (claim := _read(self.folder / name)) is not None]
        orphaned = frozenset(claim.marker for claim in found if not claim.supervisor.is_alive())
        at_work = set(marked(orphaned).values()) if orphaned else set()
        living = [c for c in found if c.marker not in orphaned or (c.holds and c.marker in at_work)]
        for claim in found:
            if claim not in living:
                self.give_back(claim.run_id)
        return living

    def _write(self, claim: Claim) -> None:
        if self.claim_of(claim.run_id) != claim:
            value = {**claim._asdict(), "supervisor": claim.supervisor.as_json(), "demand": claim.demand._asdict()}
            write_json(self._path(claim.run_id), value, durable=False)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # beside the folder: making and removing files in it is what waiting supervisors look for
        descriptor = os.open(self.folder.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _room(claim: Claim, others: list[Claim], capacity: Capacity) -> Room:
    """Return whether there is room for a claim beside the living ones of others."""
    demand = claim.demand
    given = {capacity.index_of(gpu) for gpu in capacity.gpus}
    usable = capacity.gpus if demand.among is None else [g for g in demand.among if capacity.index_of(g) in given]
    if demand.gpus > len(usable):
        of = "" if demand.among is None else f" of those that CUDA_VISIBLE_DEVICES={','.join(demand.among)} leaves"
        return Room(None, f"it takes {demand.gpus} GPUs, and this machine gives {len(usable)}{of}", never=True)
    holders = [other for other in others if other.holds]
    earlier = [other for other in others if not other.holds and (other.since, other.run_id) < _place(claim)]
    cores = min(demand.cores, capacity.cores)
    free_cores = capacity.cores - sum(min(other.demand.cores, capacity.cores) for other in holders)
    taken = {capacity.index_of(gpu) for other in holders for gpu in other.gpus}
    free_gpus = [gpu for gpu in usable if capacity.index_of(gpu) not in taken]
    before = Demand(sum(o.demand.cores for o in earlier), sum(o.demand.gpus for o in earlier))
    lacks = []
    if cores and cores > free_cores - before.cores:
        lacks.append((f"{cores} of {capacity.cores} cores ({max(0, free_cores)} free)", "cores"))
    if demand.gpus and demand.gpus > len(free_gpus) - before.gpus:
        lacks.append((f"{demand.gpus} of {len(capacity.gpus)} GPUs ({len(free_gpus)} free)", "gpus"))
    if not lacks:
        return Room(claim._replace(holds=True, gpus=tuple(free_gpus[: demand.gpus])))
    wanted = {name for _, name in lacks}
    blocking = [o for o in holders if any(getattr(o.demand, name) for name in wanted)]
    return Room(None, _words([text for text, _ in lacks], blocking, earlier))


def _words(lacks: list[str], holders: list[Claim], earlier: list[Claim]) -> str:
    words = f"waits for {' and '.join(lacks)}"
    if holders:
        names = ", ".join(claim.run_id for claim in sorted(holders, key=_place)[:_SHOWN])
        more = f" and {len(holders) - _SHOWN} more" if len(holders) > _SHOWN else ""
        words += f"; held by {names}{more}"
    return words + (f"; {len(earlier)} before it in the queue" if earlier else "")


def _place(claim: Claim) -> tuple[float, str]:
    return claim.since, claim.run_id


def _read(path: Path) -> Claim | None:
    found = read_object(path, _LIMIT_BYTES)
    supervisor = from_json(found.get("supervisor")) if found else None
    if found is None or supervisor is None:
        return None
    try:
        return Claim(
            run_id=path.stem,
            since=float(found["since"]),
            marker=str(found["marker"]),
            supervisor=supervisor,
            demand=_demand(found["demand"]),
            holds=bool(found["holds"]),
            gpus=tuple(map(str, found["gpus"])),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _demand(value: Any) -> Demand:
    among = value["among"]
    return Demand(int(value["cores"]), int(value["gpus"]), None if among is None else tuple(map(str, among)))
