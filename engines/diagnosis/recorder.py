"""Reads what PyTorch's flight recorder dumped of one rank, as pickle or as JSON, into plain records."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from contracts.errors import FileUnreadable
from engines.diagnosis.plainpickle import BYTES_MAX, load_plain

ENTRIES_MAX = 20_000
"""Entries of one dump that are read, the last ones."""
_FRAMES_MAX = 60
_DONE_KEPT = 8
_RANKS_CHARS_KEPT = 1 << 20
"""Longest list of ranks that is kept for the next dump: that of 100,000 ranks."""
_DONE = "completed"
_RANK_OF_NAME = re.compile(r"(\d{1,6})(?:\.json|\.pkl|\.pickle)?$")
_DEFAULT = ("", "0", "default_pg")


@dataclass(frozen=True)
class Frame:
    """A place in the code."""

    function: str
    """Name of the function."""
    file: str
    """Path of the file, as the job knew it."""
    line: int
    """1-based."""


@dataclass(frozen=True)
class Entry:
    """A collective as one rank recorded it."""

    sequence: int
    """Its number in the group, from 1."""
    op: str
    """Operation without the backend, such as `all_reduce`."""
    input_sizes: tuple[tuple[int, ...], ...]
    """Shapes of the inputs."""
    dtypes: tuple[str, ...]
    """Types of the inputs."""
    done: bool
    """Whether it completed."""
    created_s: float | None
    """When it was issued, in seconds since the epoch."""
    frames: tuple[Frame, ...]
    """Where it was issued, innermost first."""


@dataclass
class Group:
    """A process group as one rank recorded it."""

    name: str
    """Name, the same on all ranks."""
    description: str = ""
    """Such as `default_pg` or `mesh_dp_shard`."""
    ranks: frozenset[int] = frozenset()
    """Global ranks; empty where the dump does not tell."""
    entries: dict[int, Entry] = field(default_factory=dict)
    """By sequence number: those that are not done, and a few before them."""
    enqueued: int = 0
    """Last number that was issued, 0 where none was."""
    completed: int = 0
    """Last number that completed, 0 where none did."""


@dataclass
class Recording:
    """The dump of one rank."""

    rank: int
    """Global rank."""
    file: str
    """Path of the dump."""
    groups: dict[str, Group]
    """By name."""


def is_recording(head: bytes) -> bool:
    """Tell by the first bytes of a file whether it is a dump of the flight recorder."""
    start = head.lstrip()[:1]
    plain = head[:1] == b"\x80" and head[1:2] <= b"\x05"
    return (plain or start == b"{") and (b"pg_config" in head or b'"collective_seq_id"' in head)


def read_recording(data: bytes, name: str, rank: str | None = None) -> Recording:
    """Return the records of a dump.

    Args:
        data: The dump.
        name: Its file name; the digits at its end are the rank.
        rank: Rank, where the place of the file tells it.

    Raises:
        FileUnreadable: It is no dump, damaged, or names no rank.
    """
    if len(data) > BYTES_MAX:
        raise FileUnreadable(f"{name}: {len(data)} bytes, more than {BYTES_MAX} are not read")
    try:
        dump = load_plain(data) if data[:1] == b"\x80" else json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FileUnreadable(f"{name}: {error}") from None
    found = _RANK_OF_NAME.search(name)
    if rank is None and found is None:
        raise FileUnreadable(f"{name}: no rank in the name of this flight recorder dump")
    if not isinstance(dump, dict) or not isinstance(dump.get("pg_config"), dict):
        raise FileUnreadable(f"{name}: no flight recorder dump")
    number = int(found[1] if found is not None else rank or 0)
    return Recording(number, name, _groups(dump))


def _groups(dump: dict[str, Any]) -> dict[str, Group]:
    groups: dict[str, Group] = {}
    for key, config in dump["pg_config"].items():
        if isinstance(config, dict):
            name = _group_name(config.get("name") or key)
            description = str(config.get("desc") or "")
            groups[name] = Group(
                name, description or ("default_pg" if name == "0" else ""), _ranks(config.get("ranks"))
            )
    for raw in _list(dump.get("entries"))[-ENTRIES_MAX:]:
        if isinstance(raw, dict) and not raw.get("is_p2p"):
            _add(groups, raw)
    for group in groups.values():
        done = [number for number, entry in group.entries.items() if entry.done]
        group.enqueued = max(group.entries, default=0)
        group.completed = max(done, default=0)
    _statuses(dump.get("pg_status"), groups)
    for group in groups.values():
        # What is long done says nothing of a hang; dumps of many ranks would fill the memory.
        old = [number for number in group.entries if number <= group.completed - _DONE_KEPT]
        for number in old:
            del group.entries[number]
    return groups


def _add(groups: dict[str, Group], raw: dict[str, Any]) -> None:
    named = _list(raw.get("process_group"))
    group = groups.setdefault(name := _group_name(str(named[0]) if named else "0"), Group(name))
    if len(named) > 1 and not group.description:
        group.description = str(named[1])
    sequence = _int(raw.get("collective_seq_id"))
    created = _int(raw.get("time_created_ns"))
    group.entries[sequence] = Entry(
        sequence=sequence,
        op=str(raw.get("profiling_name", "?")).rpartition(":")[2].strip("_"),
        input_sizes=tuple(tuple(map(_int, _list(size))) for size in _list(raw.get("input_sizes"))),
        dtypes=tuple(map(str, _list(raw.get("input_dtypes")))),
        done=raw.get("state") == _DONE or bool(raw.get("retired")),
        created_s=created / 1e9 if created else None,
        frames=tuple(_frames(_list(raw.get("frames"))[:_FRAMES_MAX])),
    )


def _statuses(statuses: object, groups: dict[str, Group]) -> None:
    """Take over what the dump says of the last collectives; the group's number is its key."""
    if not isinstance(statuses, dict):
        return
    by_place = dict(enumerate(groups.values()))
    for key, status in statuses.items():
        group = groups.get(_group_name(str(key))) or by_place.get(_int(key))
        if group is not None and isinstance(status, dict):
            group.enqueued = max(group.enqueued, _int(status.get("last_enqueued_collective")))
            group.completed = max(group.completed, _int(status.get("last_completed_collective")))


def _frames(raw: Iterable[Any]) -> Iterable[Frame]:
    for frame in raw:
        if isinstance(frame, dict):
            yield _frame(str(frame.get("name", "?")), str(frame.get("filename", "?")), _int(frame.get("line")))


@lru_cache(maxsize=65_536)
def _frame(function: str, file: str, line: int) -> Frame:
    """Return the one object of a place: ranks stand in the same places again and again."""
    return Frame(function, file, line)


def _group_name(name: object) -> str:
    return "0" if str(name) in _DEFAULT else str(name)


def _ranks(raw: object) -> frozenset[int]:
    text = raw if isinstance(raw, str) else ",".join(map(str, _list(raw)))
    return _ranks_of(text) if len(text) <= _RANKS_CHARS_KEPT else _ranks_of.__wrapped__(text)


@lru_cache(maxsize=2048)
def _ranks_of(text: str) -> frozenset[int]:
    """Return the one object of a group: every rank's dump names all ranks, which grows with their square."""
    return frozenset(int(number) for number in re.findall(r"\d{1,7}", text))


def _list(raw: object) -> list[Any]:
    return list(raw) if isinstance(raw, list | tuple) else []


def _int(raw: object) -> int:
    try:
        return int(raw) if isinstance(raw, int | float | str) else 0
    except (ValueError, OverflowError):
        return 0
