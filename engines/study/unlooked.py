"""Unlooked: parts of a question that no option, condition or number of its study answers."""

import re
from collections.abc import Collection, Sequence

from engines.study.numbers import Mention
from engines.study.outline import Budget

_ASKS = re.compile(
    r"^(?:and |og |but |men |, ?)?(?:what|how|does|do|is|are|would|will|can|could|should|which|why|when|where|who|hvad"
    r"|hvordan|hvor|hvorfor|hvornår|hvilke\w*|er|kan|skal|bør|vil|gør|betyder|ændrer|må|har|have|has|did)\b"
)
_ANSWERED = re.compile(
    r"\b(?:fast\w*|quick\w*|speed\w*|slow\w*|throughput|tokens/s|fits?|memory|room|peak|oom|out of memory|hurtig\w*"
    r"|langsom\w*|hastighed\w*|hukommelse\w*|plads|være der|worth|pay off|betale sig|better|best|bedre|bedst"
    r"|recommend\w*|anbefal\w*|choose|pick|vælge\w*|compare\w*|sammenlign\w*|difference|forskel\w*|lønner|prefer\w*)\b"
)
_COST = re.compile(r"\b(?:costs?|cheap\w*|price\w*|budget|koste\w*|billig\w*|pris\w*|gpu[- ](?:hours|timer))\b")
_TIME = re.compile(r"\b(?:how long|how many (?:hours|days)|hvor (?:lang tid|længe|mange (?:timer|dage)))\b")
_STOP = re.compile(r"[?!;\n]|\.(?=\s|$)")
_LEAST_WORDS = 3
MOST = 3
"""Parts that are told at most."""


def unlooked_at(
    text: str, mentions: Sequence[Mention], axes: Collection[str], budget: Budget, clauses: Sequence[tuple[int, int]]
) -> tuple[str, ...]:
    """Return the asking clauses of a question that its study does not look at.

    Args:
        text: The question, in lower case with uniform signs.
        mentions: What it mentions.
        axes: Axes that vary in the study.
        budget: Tokens and price that it states.
        clauses: Where its clauses begin and end.
    """
    found = []
    for start, end in clauses:
        clause = text[start:end].strip(" ,")
        stop = _STOP.search(text, end)
        in_question = stop[0].startswith("?") if stop else "?" not in text
        asked = in_question and (_ASKS.search(clause) or (stop is not None and stop.start() == end))
        if not asked or len(clause.split()) < _LEAST_WORDS:
            continue
        looked_at = any(start <= one.start < end and one.axis in axes for one in mentions)
        if looked_at or _ANSWERED.search(clause):
            continue
        if (_COST.search(clause) and budget.price is not None) or (_TIME.search(clause) and budget.tokens is not None):
            continue
        found.append(clause)
    return tuple(found[:MOST])
