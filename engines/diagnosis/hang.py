"""Where ranks wait for each other: from the flight recorders of all ranks, or from their stacks alone."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from contracts.diagnosis import Hang
from engines.diagnosis.recorder import Entry, Group, Recording
from engines.diagnosis.stacks import Stack, told

_SAME_SIZE = frozenset(
    (
        "all_reduce", "allreduce", "broadcast", "all_gather", "all_gather_base", "allgather_base", "reduce",
        "all_gather_into_tensor", "reduce_scatter", "reduce_scatter_base", "reduce_scatter_tensor",
    )
)  # fmt: skip
"""Operations whose inputs have one shape on all ranks."""
_OWN_FRAMES = 3
_RANKS_TOLD = 12


@dataclass
class Standstill:
    """What recorders and stacks tell of a hang."""

    hang: Hang | None = None
    """Where the ranks parted; None where nothing tells."""
    waits: dict[int, str] = field(default_factory=dict)
    """Collective that each rank waits in."""
    stands: dict[int, str] = field(default_factory=dict)
    """Where the main thread of each rank is, innermost frames of its own code."""
    entries: dict[int, Entry] = field(default_factory=dict)
    """The collective at which they parted, as each rank that came to it recorded it."""
    crossed: bool = False
    """Whether ranks wait for each other in different groups."""


@dataclass
class _Parting:
    """The first collective of a group that not all ranks completed."""

    group: Group
    sequence: int
    entries: dict[int, Entry]
    waiting: list[int]
    absent: list[int]

    @property
    def groups_of_alike(self) -> list[list[int]]:
        """Ranks by what they are in, most ranks first."""
        alike: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
        for rank, entry in self.entries.items():
            shape = entry.input_sizes if entry.op in _SAME_SIZE else ()
            alike[(entry.op, shape, entry.dtypes if shape else ())].append(rank)
        return sorted((sorted(ranks) for ranks in alike.values()), key=lambda ranks: (-len(ranks), ranks))


def standstill(recordings: Sequence[Recording], stacks: Mapping[int, Stack]) -> Standstill:
    """Return where the ranks wait for each other.

    Args:
        recordings: Dumps of the flight recorder.
        stacks: Stack of the main thread of each rank.
    """
    recordings = _best(recordings)
    found = Standstill(stands={rank: _where(stack) for rank, stack in stacks.items() if stack.frames})
    partings = [parting for name in _names(recordings) if (parting := _parting(name, recordings)) is not None]
    for parting in partings:
        for rank in parting.waiting:
            found.waits.setdefault(rank, _told(parting.group, parting.sequence, parting.entries.get(rank)))
    if partings:
        _from_partings(found, partings)
    elif stacks:
        _from_stacks(found, stacks)
    return found


def _best(recordings: Iterable[Recording]) -> list[Recording]:
    """Return one dump of each rank: of several the one that holds most frames, such as a pickle beside its JSON."""
    chosen: dict[int, tuple[int, Recording]] = {}
    for recording in recordings:
        frames = sum(len(entry.frames) for group in recording.groups.values() for entry in group.entries.values())
        if recording.rank not in chosen or frames > chosen[recording.rank][0]:
            chosen[recording.rank] = (frames, recording)
    return [chosen[rank][1] for rank in sorted(chosen)]


def _names(recordings: Iterable[Recording]) -> list[str]:
    return list(dict.fromkeys(name for recording in recordings for name in recording.groups))


def _parting(name: str, recordings: Sequence[Recording]) -> _Parting | None:
    members = {recording.rank: recording.groups[name] for recording in recordings if name in recording.groups}
    ranks = frozenset[int]().union(*(group.ranks for group in members.values()))
    members = {rank: group for rank, group in members.items() if not ranks or rank in ranks}
    if len(members) < 2:
        return None
    sequence = min(group.completed for group in members.values()) + 1
    entries = {rank: group.entries[sequence] for rank, group in members.items() if sequence in group.entries}
    waiting = sorted(rank for rank, group in members.items() if group.enqueued >= sequence > group.completed)
    absent = sorted(rank for rank, group in members.items() if group.enqueued < sequence)
    if not waiting:
        return None
    return _Parting(next(iter(members.values())), sequence, entries, waiting, absent)


def _from_partings(found: Standstill, partings: list[_Parting]) -> None:
    """Choose the group that tells most: crossed groups, then different collectives, then a missing rank."""
    for one in partings:
        for other in partings:
            if set(one.absent) & set(other.waiting) and set(other.absent) & set(one.waiting):
                found.crossed = True
                first, second = (
                    sorted(set(one.absent) & set(other.waiting)),
                    sorted(set(other.absent) & set(one.waiting)),
                )
                text = (
                    f"ranks {_list(second)} wait in {_what(one)}, to which ranks {_list(first)} do not come: they"
                    f" wait in {_what(other)}"
                )
                found.entries = one.entries
                found.hang = _hang(found, "crossed", one, [*second, *first], first, text)
                return
    partings.sort(key=lambda parting: (len(parting.groups_of_alike) < 2, not parting.absent))
    parting = partings[0]
    found.entries = parting.entries
    alike = parting.groups_of_alike
    if len(alike) > 1:
        others = [rank for ranks in alike[1:] for rank in ranks]
        text = "; ".join(
            f"{_ranks(ranks)} {'is' if len(ranks) == 1 else 'are'} in "
            + _told(parting.group, parting.sequence, parting.entries[ranks[0]])
            + _at(parting.entries[ranks[0]])
            for ranks in alike
        )
        found.hang = _hang(found, "mismatch", parting, parting.waiting, others, text)
    elif parting.absent:
        waits = f"{_ranks(parting.waiting)} {_verb(parting.waiting)} in {_what(parting)}"
        text = f"{waits}; {_ranks(parting.absent)} never came to it"
        found.hang = _hang(found, "missing", parting, parting.waiting, parting.absent, text)


def _hang(found: Standstill, kind: str, parting: _Parting, waiting: list[int], culprits: list[int], text: str) -> Hang:
    stands = next((found.stands[rank] for rank in culprits if rank in found.stands), None)
    if stands is None:
        stands = next((_frames(parting.entries[rank]) for rank in culprits if rank in parting.entries), None)
    return Hang.model_validate(
        {
            "kind": kind,
            "collective": _what(parting),
            "waiting": tuple(map(str, waiting)),
            "culprits": tuple(map(str, culprits)),
            "stands_at": stands,
            "text": text + (f"; rank {culprits[0]} is at {stands}" if stands and kind != "mismatch" else ""),
        }
    )


def _from_stacks(found: Standstill, stacks: Mapping[int, Stack]) -> None:
    places: defaultdict[tuple[str | None, str], list[int]] = defaultdict(list)
    for rank, stack in sorted(stacks.items()):
        if stack.frames:
            places[(stack.collective, told(stack.own[0]))].append(rank)
            if stack.collective:
                found.waits.setdefault(rank, stack.collective)
    waiting = [rank for (collective, _), ranks in places.items() if collective for rank in ranks]
    working = [rank for (collective, _), ranks in places.items() if not collective for rank in ranks]
    if waiting and working:
        names = Counter(found.waits[rank] for rank in waiting).most_common(1)[0][0]
        stands = found.stands[working[0]]
        text = f"{_ranks(waiting)} {_verb(waiting)} in {names}; {_ranks(working)} did not come to it: at {stands}"
        found.hang = Hang(
            kind="behind",
            collective=names,
            waiting=_texts(waiting),
            culprits=_texts(working),
            stands_at=stands,
            text=text,
        )
    elif len(places) > 1:
        parts = sorted(places.items(), key=lambda item: (-len(item[1]), item[1]))
        text = "; ".join(f"{_ranks(ranks)} in {collective} at {place}" for (collective, place), ranks in parts)
        others = [rank for _, ranks in parts[1:] for rank in ranks]
        found.hang = Hang(
            kind="mismatch",
            waiting=_texts(waiting),
            culprits=_texts(others),
            stands_at=found.stands[others[0]],
            text=text,
        )


def _what(parting: _Parting) -> str:
    return _told(parting.group, parting.sequence, parting.entries.get(parting.waiting[0]))


def _told(group: Group, sequence: int, entry: Entry | None) -> str:
    shape = f" {[list(size) for size in entry.input_sizes]}" if entry is not None and entry.input_sizes else ""
    return f"{entry.op if entry is not None else 'collective'} #{sequence}{shape} of {group.description or group.name}"


def _at(entry: Entry) -> str:
    return f" from {_frames(entry)}" if entry.frames else ""


def _frames(entry: Entry) -> str:
    return _where(Stack(None, entry.frames)) if entry.frames else ""


def _where(stack: Stack) -> str:
    return " < ".join(told(frame) for frame in stack.own[:_OWN_FRAMES])


def _ranks(ranks: Sequence[int]) -> str:
    return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {_list(ranks)}"


def _list(ranks: Sequence[int]) -> str:
    shown = ", ".join(map(str, ranks[:_RANKS_TOLD]))
    return shown + (f" and {len(ranks) - _RANKS_TOLD} more" if len(ranks) > _RANKS_TOLD else "")


def _texts(ranks: Iterable[int]) -> tuple[str, ...]:
    return tuple(map(str, ranks))


def _verb(ranks: Sequence[int]) -> str:
    return "waits" if len(ranks) == 1 else "wait"
