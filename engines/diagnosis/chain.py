"""From what the ranks left behind to the story: who was first, who followed, how each ended."""

import re
from collections.abc import Iterable

from contracts.diagnosis import ChainLink, RankState
from engines.diagnosis.hang import Standstill
from engines.diagnosis.timeline import Event, RankTrail, Watch

_CHARS_MAX = 400
_LINKS_MAX = 8
_STATES_MAX = 1024
_BY_SIGNAL = re.compile(r"failed \(exitcode: -(?!15\b|6\b)\d")
_LAUNCHER = re.compile(r"failed \(exitcode|closing signal|error_file|exitcode|ChildFailedError|SignalException")
_TIMED_OUT = "Timed out waiting"
_FOLLOWED = ("signal 15", "signal 6")
"""A rank that is told to end, or that a library ends over a lost peer."""


def first_failure(watch: Watch) -> str | None:
    """Return the first line of trouble with its rank and place.

    What ranks print because another one has gone counts only where nothing else is found.
    """
    first = _first(watch)
    return first.line.told if first is not None else None


def rank_ends(watch: Watch) -> dict[str, str]:
    """Return the last line of trouble of each rank, or how it ended where it left none."""
    ends: dict[str, str] = {}
    for rank, trail in _numbered(watch):
        if trail.last is not None:
            ends[rank] = trail.last.line.text[:_CHARS_MAX]
        elif trail.exit is not None:
            ends[rank] = trail.exit
    return ends


def rank_states(watch: Watch, still: Standstill) -> tuple[RankState, ...]:
    """Return what is known of each rank, in the order of the ranks.

    Of very many those are told that left the others or had trouble of their own, and then the lowest.
    """
    trails = dict(_numbered(watch))
    ranks = {*map(int, trails), *still.waits, *still.stands}
    if len(ranks) > _STATES_MAX:
        diverged, quiet = first_diverged(watch, still), RankTrail()
        by_weight = sorted(
            ranks, key=lambda number: (str(number) != diverged, trails.get(str(number), quiet).error is None, number)
        )
        ranks = set(by_weight[:_STATES_MAX])
    states = []
    for number in sorted(ranks):
        trail = trails.get(str(number), RankTrail())
        trouble = _trouble(trail)
        states.append(
            RankState(
                rank=str(number),
                last_progress=trail.progress.line.text[:_CHARS_MAX] if trail.progress else None,
                last_progress_at=_at(trail.progress),
                first_abnormal=trouble.line.told if trouble else None,
                first_abnormal_at=_at(trouble),
                exit=trail.exit,
                waits_in=still.waits.get(number) or trail.waits_in or watch.fingerprints.get(str(number)),
                stands_at=still.stands.get(number),
            )
        )
    return tuple(states)


def first_diverged(watch: Watch, still: Standstill) -> str | None:
    """Return the rank that left the others first; None where nothing tells.

    In this order: the one that flight recorders or stacks show apart; the one with the first trouble of its own;
    the one that a signal ended, the launcher's aside; among ranks whose watchdogs told their counts, the one that is
    behind; the one that no watchdog spoke for, or that raised nothing while the others timed out.
    """
    if still.hang is not None and still.hang.culprits:
        return still.hang.culprits[0]
    own = [event for _, trail in _numbered(watch) if (event := trail.error) is not None]
    if own:
        return min(own, key=lambda event: event.key).line.rank
    ended = [rank for rank, trail in _numbered(watch) if (trail.exit or "").startswith("signal") and not _told(trail)]
    if ended:
        return ended[0]
    counted = {rank: trail.enqueued for rank, trail in _numbered(watch) if trail.enqueued is not None}
    if len(set(counted.values())) > 1:
        return min(counted, key=lambda rank: (counted[rank], int(rank)))
    waiting = {rank for rank, trail in _numbered(watch) if trail.waits_in is not None}
    silent = [rank for rank, _ in _numbered(watch) if rank not in waiting]
    if len(silent) == 1 and len(waiting) > 1:
        return silent[0]
    told = {rank for rank, trail in _numbered(watch) if trail.consequence and _TIMED_OUT in trail.consequence.line.text}
    quiet = [rank for rank, _ in _numbered(watch) if rank not in told]
    return quiet[0] if told and len(quiet) == 1 else None


def chain(watch: Watch, still: Standstill) -> tuple[ChainLink, ...]:
    """Return the events from the first failure to the last message, a few of each kind."""
    first = _first(watch)
    links = []
    if still.hang is not None:
        diverged = still.hang.culprits[0] if still.hang.culprits else None
        links.append(ChainLink(rank=diverged, role="first", text=still.hang.text[:_CHARS_MAX]))
    if first is None:
        return tuple(links)
    links.append(_link(first, "consequence" if links else "first"))
    others = [event for trail in watch.ranks.values() if (event := _trouble(trail)) is not None and event is not first]
    others.sort(key=lambda event: event.key)
    links += [_link(event, "consequence") for event in others[: _LINKS_MAX - 2]]
    ends = [trail.last for trail in watch.ranks.values() if trail.last is not None]
    last = max(ends, key=lambda event: (event.at if event.at is not None else float("-inf"), event.order), default=None)
    if last is not None and not _before(last, first) and last.line.told not in {link.text for link in links}:
        links.append(_link(last, "last"))
    return tuple(links)


def _before(one: Event, other: Event) -> bool:
    """Tell whether both have a time and the first is the earlier."""
    return one.at is not None and other.at is not None and one.at < other.at


def _told(trail: RankTrail) -> bool:
    """Tell whether the signal that ended a rank was the launcher's, or that of a collective that failed."""
    return trail.exit is not None and trail.exit.startswith(_FOLLOWED)


def _first(watch: Watch) -> Event | None:
    errors = [trail.error for trail in watch.ranks.values() if trail.error is not None]
    followed = [trail.consequence for trail in watch.ranks.values() if trail.consequence is not None]
    if errors:
        return min(errors, key=lambda event: event.key)
    # a rank that a signal ended says nothing itself; otherwise what a rank says tells more than its launcher
    return min(followed, key=lambda event: (_telling(event.line.text), event.key), default=None)


def _telling(text: str) -> int:
    if _BY_SIGNAL.search(text):
        return 0
    return 2 if _LAUNCHER.search(text) else 1


def _trouble(trail: RankTrail) -> Event | None:
    return trail.error or trail.consequence


def _link(event: Event, role: str) -> ChainLink:
    return ChainLink.model_validate(
        {"rank": event.line.rank, "at": event.at, "role": role, "text": event.line.told[:_CHARS_MAX]}
    )


def _at(event: Event | None) -> float | None:
    return event.at if event is not None else None


def _numbered(watch: Watch) -> Iterable[tuple[str, RankTrail]]:
    return sorted(((rank, trail) for rank, trail in watch.ranks.items() if rank), key=lambda item: int(item[0]))
