"""Roles: which axes a question weighs, which it asks about as conditions, which state how things are."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from engines.study.numbers import Mention
from engines.study.vocabulary import CONDITION_AXES, NUMBER_AXES, default_of

_CLAUSE = re.compile(
    r"[?;!]\s*|\.\s+|\n|,?\s+(?:and|og|but|men)\s+(?=(?:what|how|does|do|is|are|would|will|can|should|hvad|hvordan|hvor"
    r"|gør|er|kan|skal|bør|vil|betyder|ændrer)\b)"
)
_CHANGES = re.compile(
    r"\bwhat (?:does|do|would|will|changes?|if|about|happens|is lost|do we)|\bhow (?:does|do|would|will|much|far|about)"
    r"|\b(?:hvad|hvor)\s(?:\w+\s)?(?:ændre\w*|betyder|sker|gør|med|hvis|koster|så|vinder|taber|sparer|giver|meget)"
    r"|\bhvordan (?:ændrer|påvirker)|\b(?:change|changes|matters?|forskel|ændrer)\b|\bif we (?:go|move|switch|need)"
)
_WEIGHS = re.compile(
    r"\bor\b|\bvs\b\.?|\bversus\b|\beller\b|\bkontra\b|\brather than\b|\binstead of\b|\bi stedet for\b|\bfrem ?for\b"
    r"|\bcompar\w+|\bsammenlign\w*|\bbetter\b|\bbedre\b|\bbedst\b|\bwhich\b|\bhvilken\b|\bhvilket\b|\bagainst\b|\bmod\b"
    r"|\bthan\b|\bend\b"
)
_WORTH = re.compile(
    r"\bworth\b|\bpay(?:s)?(?: off)?\b|\bbetale sig\b|\bbetaler\b|\bværd\b|\bshould (?:we|i)\b"
    r"|\b(?:skal|bør) (?:vi|jeg|man)\b|\bhelps?\b|\bsuffic\w+|\btilstrækkelig\w*"
    r"|\bhjælp\w*|\bneed(?:ed)?\b|\bnødvendig\w*|\benough\b|\bnok\b|\brække\w*|\bwin\b|\bgain\b|\bvinde?r?\b"
    r"|\bsave[sd]?\b|\bspare\w*|\bcosts?\b|\bkoste\w*"
)
_GIVEN = re.compile(r"\b(?:with|using|under|already|has|have|med|bruger|kører|allerede|har|som)\s(?:\w+[\s-]){0,2}$")
_OR_WITHOUT = re.compile(
    r"\bweigh\b|\b(?:or|and|eller|og|/)\s?(?:without|no|off|not|uden|fra|ikke)\b|\bon or off\b|\btil eller fra\b"
)


def clauses_of(text: str) -> Iterable[tuple[int, int]]:
    """Yield where each clause of a question begins and ends."""
    start = 0
    for found in _CLAUSE.finditer(text):
        if found.start() > start:
            yield start, found.start()
        start = found.end()
    if start < len(text):
        yield start, len(text)


def _clause_of(mention: Mention, clauses: Sequence[tuple[int, int]], text: str) -> str:
    start, end = next((one for one in clauses if one[0] <= mention.start < one[1]), (0, len(text)))
    return text[start:end]


def varies(
    axis: str, values: list[Any], mentions: list[Mention], text: str, clauses: Sequence[tuple[int, int]]
) -> bool:
    """Tell whether an axis is weighed, or states how things are."""
    if len(values) > 1:
        return True
    [mention, *_] = [one for one in mentions if one.axis == axis]
    if axis not in NUMBER_AXES and default_of(axis) is not None and by_default(axis, values[0]):
        return False
    clause = _clause_of(mention, clauses, text)
    if axis == "seq_len":
        return bool(_CHANGES.search(clause))
    if axis in NUMBER_AXES:
        return False
    if _OR_WITHOUT.search(text[max(0, mention.start - 20) : mention.end + 20]):
        return True
    if _GIVEN.search(text[: mention.start]):
        return False
    return any(cue.search(clause) for cue in (_WEIGHS, _WORTH, _CHANGES))


def by_default(axis: str, value: Any) -> bool:
    """Tell whether a value is what holds where its axis is not spoken of."""
    default = default_of(axis)
    return default is not None and default.name == value


def condition_axes(
    varied: list[str], mentions: list[Mention], clauses: Sequence[tuple[int, int]], text: str
) -> list[str]:
    """Return the axes that are conditions: those by nature, and what a later "what does X change?" asks."""
    conditions = [axis for axis in varied if axis in CONDITION_AXES]
    if "gpu" in conditions and [axis for axis in varied if axis not in conditions] == ["gpus"]:
        conditions.remove("gpu")  # "8 H100 or 16 A100": both are ways to go
    others = [axis for axis in varied if axis not in conditions]
    first = [next(mention for mention in mentions if mention.axis == axis) for axis in others]
    if len(others) < 2:
        return conditions
    leading = _clause_of(first[0], clauses, text)
    for axis, mention in zip(others[1:], first[1:], strict=True):
        clause = _clause_of(mention, clauses, text)
        if clause != leading and _CHANGES.search(clause):
            conditions.append(axis)
    return conditions
