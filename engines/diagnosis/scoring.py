"""Weighs the signs of each cause against a text, adds what is known besides, and ranks the causes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engines.diagnosis.cause import CauseRule, Sign
from engines.diagnosis.clue import Clue
from engines.diagnosis.likeness import known
from engines.diagnosis.out_of_memory import keep_to_memory
from engines.diagnosis.quantities import weight_of
from engines.diagnosis.text import WORD, WORDS_OF_A_STORY, Text, says_something
from engines.diagnosis.wording import holds_in

TELLING = 3.0
"""Weight of a sign that tells something by itself."""

_NEAR_CHARS, _FAR_CHARS = 700, 2000  # words that stand further apart say less together
_FAR_FACTOR, _VERY_FAR_FACTOR = 0.5, 0.2
_FAR_FROM_TROUBLE_FACTOR = 0.4
_FALLBACK_FACTOR = 0.25
_FALLBACK_BESIDE_WORDS_FACTOR, _FALLBACK_ABOVE = 0.3, 1.0
_LIKE_A_REPORT = 1.8
_LIKENESS_BELOW = 6.0  # with this much from signs, likeness to known reports is not asked
_LIKENESS_FACTOR = 10.0  # texts of one cause have a cosine of 0.2 to 0.5
_TOLD_BY_NUMBERS = ("gathered_whole", "other_timeout")
"""Quantities that say something without any word."""
_OTHER_VERSION_FACTOR = 0.5
_LOOKED_AT = 10


@dataclass
class Score:
    """What speaks for one cause."""

    rule: CauseRule
    """The cause."""
    total: float = 0.0
    """All weights together."""
    strongest: float = 0.0
    """The largest weight."""
    like: float = 0.0
    """How much of the total is likeness to known reports."""
    places: list[int] = field(default_factory=list)
    """Where its signs are in the text."""
    clues: list[Clue] = field(default_factory=list)
    """What is known besides the text."""


def ranked(
    text: Text, rules: Sequence[CauseRule], torch: str | None, clues: Iterable[Clue], known_as: str | None = None
) -> list[Score]:
    """Return the causes that something speaks for, best first.

    Args:
        text: The text.
        rules: Causes to choose from.
        torch: Version of torch that was in use; causes that do not exist in it count less.
        clues: What is known besides the text.
        known_as: Cause for whose report the text is known; likeness to itself is left out.
    """
    by_cause = {rule.cause: _score(rule, text) for rule in rules}
    for clue in clues:
        counts = not clue.where or bool(text.where(clue.where))
        if counts and (score := by_cause.get(clue.cause)) is not None:
            score.total += clue.weight
            score.strongest = max(score.strongest, clue.weight)
            score.clues.append(clue)
    plain = text.plain if text.low.strip() else ""
    told = max((score.total for score in by_cause.values() if not score.rule.fallback), default=0.0)
    if says_something(plain) and told < _LIKENESS_BELOW:
        # One weak sign more: the likeness to what others told. What speaks against a cause still counts.
        for cause, like in known().of(plain, known_as).items():
            if cause in by_cause:
                by_cause[cause].like = _LIKENESS_FACTOR * like
                by_cause[cause].total += by_cause[cause].like
    keep_to_memory(by_cause.values(), text.low)
    scores = [score for score in by_cause.values() if score.total > 0]
    _lower_fallbacks(scores, words=len(WORD.findall(plain)))
    scores.sort(key=lambda score: (-score.total, score.rule.cause))
    if torch is not None:
        for score in scores[:_LOOKED_AT]:
            if not holds_in(score.rule.card, torch):
                score.total *= _OTHER_VERSION_FACTOR
    return sorted(scores, key=lambda score: (-score.total, score.rule.cause))


def places(sign: Sign, text: Text) -> list[int] | None:
    """Return the places of a sign's parts where they stand nearest to each other; None if one is missing."""
    found = []
    for part in sign.parts:
        if not (at := text.where(part)):
            return None
        found.append(at)
    best: list[int] = []
    for anchor in min(found, key=len):
        near = [min(at, key=lambda place: abs(place - anchor)) for at in found]
        if not best or max(near) - min(near) < max(best) - min(best):
            best = near
    return best


def _score(rule: CauseRule, text: Text) -> Score:
    score = Score(rule)
    for sign in rule.signs:
        at = places(sign, text)
        if at is None:
            continue
        weight = sign.weight * _nearness(max(at) - min(at))
        weight *= _FAR_FROM_TROUBLE_FACTOR if weight > 0 and text.far_from_trouble(at) else 1.0
        score.total += weight
        if weight > 0:
            score.strongest = max(score.strongest, weight)
            score.places += at
    if rule.quantity is not None:
        added = weight_of(rule.quantity, text.low)
        score.total += added if score.total > 0 or rule.quantity in _TOLD_BY_NUMBERS else min(added, 0.0)
        score.strongest = max(score.strongest, added)
    return score


def _nearness(distance_chars: int) -> float:
    if distance_chars <= _NEAR_CHARS:
        return 1.0
    return _FAR_FACTOR if distance_chars <= _FAR_CHARS else _VERY_FAR_FACTOR


def _lower_fallbacks(scores: list[Score], words: int) -> None:
    """Let what says only that something else failed first give way to anything that says more."""
    others = [score for score in scores if not score.rule.fallback]
    told = any(min(score.strongest, score.total - score.like) >= TELLING for score in others)
    like = max([_LIKE_A_REPORT, *(score.like for score in scores if score.rule.fallback)])
    hinted = any(
        (score.total - score.like > _FALLBACK_ABOVE or score.like > like) and (score.places or words > WORDS_OF_A_STORY)
        for score in others
    )
    factor = _FALLBACK_FACTOR if told else _FALLBACK_BESIDE_WORDS_FACTOR if hinted else 1.0
    for score in scores:
        if score.rule.fallback and (told or not score.clues):
            score.total *= factor
