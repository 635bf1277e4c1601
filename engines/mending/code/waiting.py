"""A time-out that legitimate work outlasts: raised only where the log shows that the work went on."""

import ast
import math
import re

from contracts.wording import told
from engines.mending.code.source import Change, Source, changed, last_name
from engines.mending.phrases import COSTS
from engines.mending.situation import Mend, Situation

_PROGRESS = re.compile(r"(?<![\d/])(\d{1,7})\s?(?:/|of)\s?(\d{1,7})(?![\d/])")
_RANK_LINE = re.compile(r"^\[rank (\d+)\] (.*\S.*)$", re.MULTILINE)
_PLACES = 3
"""Places on the way that a log has to show."""
_SLACK = 2.0
"""What is allowed beside the time that the work will take at the pace that was seen."""
_LONGEST_FACTOR = 20.0
"""A work that needs more than this many time-outs belongs outside of a collective's reach."""


def longer_time_out(situation: Situation) -> Mend | None:
    """Raise the time-out to what the work needs at the pace that its own log shows."""
    pace = _pace(situation.log)
    if pace is None:
        return None
    done, whole = pace
    factor = _SLACK * whole / done
    if factor > _LONGEST_FACTOR:
        return None
    texts = changed(situation, lambda source: _patch(source, math.ceil(factor)))
    if not texts:
        return None
    why = (
        f"the work that the others waited for was at {done} of {whole} and going on when the time-out ended it: "
        f"the time-out is {math.ceil(factor)} times as long"
    )
    return Mend("script", why, texts=texts, costs=told(COSTS, "hang_later", situation.language))


def _pace(log: str) -> tuple[int, int] | None:
    """Return how far a work was that one rank alone did up to its last line, and how much it was in all."""
    reached: dict[tuple[str, int], set[int]] = {}
    last: dict[str, int | None] = {}
    for line in _RANK_LINE.finditer(log):
        found = _PROGRESS.search(line[2])
        last[line[1]] = int(found[2]) if found else None
        if found:
            reached.setdefault((line[1], int(found[2])), set()).add(int(found[1]))
    for (rank, whole), places in reached.items():
        alone = not any(other != rank and count == whole for other, count in reached)
        if alone and last[rank] == whole and len(places) >= _PLACES and 0 < max(places) < whole:
            return max(places), whole
    return None


def _patch(source: Source, factor: int) -> str | None:
    change = Change(source)
    for call in source.calls("init_process_group"):
        for keyword in call.keywords:
            if keyword.arg == "timeout" and isinstance(keyword.value, ast.Call):
                value = keyword.value
                if last_name(value.func) == "timedelta":
                    change.replace(value, f"{factor} * {source.of(value)}")
    return change.done()
