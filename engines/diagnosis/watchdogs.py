"""What the watchdogs' own messages say where ranks time out at one number of one group in different collectives."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from engines.diagnosis.clue import Clue
from engines.diagnosis.line import Line

_TIMED_OUT = re.compile(
    r"\[?Rank (\d{1,6})\].{0,80}?Watchdog caught.{0,60}?WorkNCCL\((.{0,300}?Timeout\(ms\)=\d+)\)", re.IGNORECASE
)
_FIELD = re.compile(r"(SeqNum|OpType|PG GUID)[= ]([\w.()]+)")
_ENDED_ITS_DATA = (
    r"batch(?:es)? (?:done|finished|processed)|(?:end|rest) of (?:the |an |its )?epoch|exhausted|ran out of data"
)
"""A rank says that it has seen all its data, and is in what comes after."""
_RANKS_MAX, _RANKS_TOLD = 16_384, 12
_SURE, _LIKELY, _EXCLUDED = 7.0, 4.0, -6.0


class _Parting(NamedTuple):
    """Ranks that timed out at one number of one group, in different operations."""

    sequence: str
    ranks: dict[str, tuple[str, Line]]
    """Operation and line by rank."""
    apart: list[str]
    """Ranks in another operation than most, lowest first."""
    others: list[str]
    """The rest, lowest first."""


def clues_of_watchdogs(lines: Iterable[Line]) -> list[Clue]:
    """Return what it says where ranks are in different operations at the same sequence number of a group.

    Args:
        lines: Lines as they were kept.
    """
    parting = _parting(lines)
    if parting is None:
        return []
    sequence, ranks, apart, others = parting
    line = ranks[apart[0]][1]
    told = "; ".join(f"rank {rank} is in {ranks[rank][0]} #{sequence}" for rank in apart[:_RANKS_TOLD])
    usual = ranks[others[0]][0]
    text = f"{told}, where ranks {', '.join(others[:_RANKS_TOLD])} are in {usual} #{sequence}"
    weights = {
        "collective-order-mismatch": _SURE,
        "rank-conditional-collective": _LIKELY,
        "timeout-set-on-other-pg": _EXCLUDED,
    }
    clues = [Clue(cause, weight, line.file, line.number, text) for cause, weight in weights.items()]
    return [*clues, Clue("uneven-batches-per-rank", _SURE, line.file, line.number, text, _ENDED_ITS_DATA)]


def ranks_apart(lines: Iterable[Line]) -> str | None:
    """Return the lowest rank that is in another operation than most at the same number; None where none is."""
    parting = _parting(lines)
    return None if parting is None else parting.apart[0]


def _parting(lines: Iterable[Line]) -> _Parting | None:
    met: dict[tuple[str, str], dict[str, tuple[str, Line]]] = {}
    for line in lines:
        if (found := _TIMED_OUT.search(line.text)) is None or len(met) > _RANKS_MAX:
            continue
        fields = dict(_FIELD.findall(found[2]))
        if "SeqNum" in fields and "OpType" in fields:
            at = met.setdefault((fields.get("PG GUID", ""), fields["SeqNum"]), {})
            at.setdefault(found[1], (fields["OpType"], line))
    for (_, sequence), ranks in met.items():
        counts = Counter(operation for operation, _ in ranks.values())
        if len(counts) > 1:
            usual = counts.most_common(1)[0][0]
            apart = sorted((rank for rank, (operation, _) in ranks.items() if operation != usual), key=int)
            others = sorted((rank for rank, (operation, _) in ranks.items() if operation == usual), key=int)
            return _Parting(sequence, ranks, apart, others)
    return None
