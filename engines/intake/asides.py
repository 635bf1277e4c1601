"""What a text says beside its subject: how it was before, and what people say in general.

"Last year we did LoRA on a 7B; now every weight of a 32B" is about the 32B, and "they say that
anything above 10B has to be sharded" is about no model at all. The values of a request are read
from what is left; only what is not said there is taken from the history.
"""

import re

_PAST = (
    r"(?:last (?:year|time|month|week|summer|autumn|spring|winter)|previously|formerly|originally|initially|earlier"
    r"|in the past|used to|until (?:now|recently)|so far|back then|before the \w+|at first|to begin with"
    r"|(?:in|this) (?:spring|summer|autumn|winter)|(?:sidste|forrige) (?:år|gang|måned|uge|sommer|efterår|forår|vinter)"
    r"|tidligere|oprindelig\w*|hidtil|dengang|før (?:sommerferien|ferien|jul)"
    r"|i (?:foråret|sommer|efteråret|vinter|fjor)"
    r"|i første omgang|først (?:prøvede|kørte|lavede|tænkte|var))"
)
_PRESENT = re.compile(
    r"\b(?:now|nowadays|this time|today|instead|the real thing|from now on|these days|but|however|changed|since"
    r"|nu|denne gang|i dag|i stedet|men|derimod|herefter)\b"
)
_CLAUSE_END = re.compile(r"[.;!?\n](?:\s|$)|,?\s(?=(?:but|however|and now|so now|now|men|og nu|så nu|nu)\b)|$")
_HISTORY = re.compile(rf"\b{_PAST}\b")
_DONE = re.compile(
    r"\b(?:was|were|did|had|made|ran|used|tried|trained|tuned|fine-?tuned|went|got|plan(?:ned)?|var|kørte|lavede|havde"
    r"|brugte|prøvede|trænede|finjusterede|nøjedes|klarede)\b"
)
_GENERAL = re.compile(
    r"\b(?:anything|everything|all|any model|models?|alt|alle|modeller|hvad som helst)\s(?:\w+\s){0,3}?"
    r"(?:above|over|beyond|past|from|larger than|bigger than|more than|below|under|up to|fra|større end|op til)"
    r"\s\d+(?:[.,]\d+)?\s?(?:b|bn|m|mia\.?|milliarder|billions?)\b"
)
_OTHERS = re.compile(
    r"\b(?:blog(?:\s?post)?|paper|article|tutorial|book|docs|documentation|forum|reddit|colleague|vendor|consultant|someone"
    r"|somebody|everyone|everybody|they|professor|bloggen?|artikel(?:en)?|papiret|bogen|kollega|leverandøren|konsulenten?|nogen|de)"
    r"\s(?:\w+\s){0,2}?(?:trained|trains|used|uses|did|does|says?|said|claims?|reports?|shows?|tells?|thinks?|wrote|writes|ran"
    r"|trænede|træner|brugte|bruger|siger|sagde|påstår|skriver|mener|viser|kørte)\b"
)
_OURS = re.compile(r"\b(?:we|our|ours|i|i'm|my|mine|vi|vores|jeg|min|mit)\b")


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


def _sentence_start(lower: str, position: int) -> int:
    return max((mark.end() for mark in re.finditer(r"[.;!?\n]\s", lower[:position])), default=0)


def subject_of(lower: str) -> str:
    """Blank what is beside the subject; positions stay as they are.

    Args:
        lower: Lower-case text with uniform signs.

    Returns:
        A text of the same length.
    """
    for found in _GENERAL.finditer(lower):
        lower = _blank(lower, found.start(), found.end())
    for found in _OTHERS.finditer(lower):
        # "A colleague trained a 70B. We have a 13B": but what they say of our own job is about it.
        stop = re.compile(r"[.;!?\n](?:\s|$)").search(lower, found.end())
        if stop and not _OURS.search(lower, found.end(), stop.start()) and _OURS.search(lower, stop.end()):
            lower = _blank(lower, found.start(), stop.start())
    for found in _HISTORY.finditer(lower):
        begin = _sentence_start(lower, found.start())
        stop = _CLAUSE_END.search(lower, found.end())
        end = stop.start() if stop else len(lower)
        # Without a turn to the present the past is all there is.
        if _DONE.search(lower, begin, end) and _PRESENT.search(lower, end):
            lower = _blank(lower, begin, end)
    return lower
