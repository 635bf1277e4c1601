"""What ranks say of themselves: two that claim to be the same one took their rank from the wrong place."""

import re
from collections import defaultdict
from collections.abc import Iterable

from engines.diagnosis.clue import Clue
from engines.diagnosis.line import Line

_CLAIM = re.compile(r"^\W{0,2}(?:global[ _]?)?rank\W{0,3}(\d{1,6})\b", re.IGNORECASE)
_SURE = 7.0


def clues_of_claims(lines: Iterable[Line]) -> list[Clue]:
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
