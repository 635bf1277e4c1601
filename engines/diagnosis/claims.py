"""What ranks say of themselves: which rank they are, and of what type their weights are."""

import re
from collections import defaultdict
from collections.abc import Iterable

from engines.diagnosis.clue import Clue
from engines.diagnosis.line import Line

_CLAIM = re.compile(r"^\W{0,2}(?:global[ _]?)?rank\W{0,3}(\d{1,6})\b", re.IGNORECASE)
_DTYPE = re.compile(r"\b(?:torch\.)?(bfloat16|float16|float32|float64|bf16|fp16|fp32)\b", re.IGNORECASE)
_RANK = re.compile(r"\brank\W{0,3}\d{1,6}\b", re.IGNORECASE)
_MISMATCH = r"data size doesn't match|sizes do not match|mismatch|timed out|time-?out|watchdog"
_SAYINGS_MAX = 10_000
_SURE = 7.0


def clues_of_claims(lines: Iterable[Line]) -> list[Clue]:
    """Return what it says where two ranks claim to be the same one, or tell the same thing of different types.

    Args:
        lines: Lines as they were kept.
    """
    lines = list(lines)
    return [*_of_ranks(lines), *_of_types(lines)]


def _of_types(lines: Iterable[Line]) -> list[Clue]:
    """Return what it says where ranks print the same line but for one type of numbers, such as a weight's."""
    said: dict[str, dict[str, str]] = {}
    for line in lines:
        types = _DTYPE.findall(line.text)
        if line.rank is None or len(types) != 1 or len(said) > _SAYINGS_MAX:
            continue
        known = said.setdefault(_DTYPE.sub("?", _RANK.sub("rank", line.text)), {})
        known.setdefault(line.rank, types[0].lower())
        if len(set(known.values())) > 1:
            told = ", ".join(f"{dtype} on rank {rank}" for rank, dtype in sorted(known.items()))
            text = f"ranks say the same of different types: {told}"
            return [Clue("rank-dtype-mismatch-in-broadcast", _SURE, line.file, line.number, text, _MISMATCH)]
    return []


def _of_ranks(lines: Iterable[Line]) -> list[Clue]:
    """Return what it says where a process that the launcher calls by one rank calls itself by another's.

    A rank that also calls itself by its own name reports of others, as rank 0 may.

    Args:
        lines: Lines as they were kept.
    """
    claims: defaultdict[str, dict[str, Line]] = defaultdict(dict)
    for line in lines:
        if line.rank is not None and (found := _CLAIM.match(line.text)):
            claims[line.rank].setdefault(str(int(found[1])), line)
    for rank, said in sorted(claims.items()):
        for other, line in said.items():
            if rank not in said and other in claims.get(other, ()):
                text = f"rank {rank} calls itself rank {other}, as rank {other} does"
                return [Clue("rank-from-wrong-source", _SURE, line.file, line.number, text)]
    return []
