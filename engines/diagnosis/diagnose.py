"""From what was read to the causes: signs are weighed, causes ranked, confidence is kept honest."""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from contracts.diagnosis import Cause, Diagnosis, Evidence
from engines.diagnosis.cause import STRONG, CauseRule, Sign, compiled
from engines.diagnosis.quantities import weight_of
from engines.diagnosis.reading import Line, Reading
from engines.diagnosis.registry import cause_rules
from engines.diagnosis.trouble import first_failure, rank_ends
from engines.diagnosis.wording import card_text, holds_in, likeness

CAUSES_MAX = 5
"""Causes that are named."""
UNKNOWN_BELOW = 0.3
"""Confidence below which the verdict is `unknown`."""
CONFIDENCE_WITHOUT_STRONG_MAX = 0.8
"""Bound on the confidence of a cause without a specific sign."""

_CONFIDENCE_MAX = 0.95
_SCALE = 4.0  # score at which 63 % of the confidence is there
_RIVAL_SHARE = 0.5
_NEAR_CHARS, _FAR_CHARS = 700, 2000  # words that stand further apart say less together
_FAR_FACTOR, _VERY_FAR_FACTOR = 0.5, 0.2
_PLACES_MAX = 40
_FALLBACK_FACTOR = 0.25
_LIKENESS_BELOW = 4.5  # with this much from signs, likeness to cards is not asked
_OTHER_VERSION_FACTOR = 0.5
_TELLING = 3.0  # a cause with hints only, or likeness only, is no diagnosis
_EVIDENCE_MAX = 4
_EVIDENCE_CHARS = 300
_FSDP = re.compile(
    r"fsdp|fully_shard|fully sharded|full_shard|hybrid_shard|dtensor|_allgather_base|_reduce_scatter_base"
)
_OTHERS = re.compile(
    r"distributeddataparallel\(|\bplain ddp\b|deepspeed|\bzero[- ]?(?:[123]|stage|optimization)|zero_optimization"
)
_NEEDED = (
    "the logs of all ranks, of the one that ended first above all: torchrun --log-dir=LOGS --redirects=3 --tee=3 ...",
    "a run with TORCH_DISTRIBUTED_DEBUG=DETAIL NCCL_DEBUG=INFO TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_FR_BUFFER_SIZE=2000",
    "where a rank waits: py-spy dump --pid PID on each rank; after a kill without a message: dmesg -T | tail -50",
)


@dataclass
class _Text:
    """The kept lines as one lower-case text, and the way back to them."""

    lines: list[Line]
    low: str = ""
    starts: list[int] = field(default_factory=list)
    found: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts, at = [], 0
        for line in self.lines:
            part = " ".join(line.text.lower().split())
            self.starts.append(at)
            parts.append(part)
            at += len(part) + 1
        self.low = "\n".join(parts)

    def where(self, part: str) -> list[int]:
        """Return where a pattern is found, the first places of many."""
        if part not in self.found:
            matches = compiled(part).finditer(self.low)
            self.found[part] = [match.start() for match, _ in zip(matches, range(_PLACES_MAX), strict=False)]
        return self.found[part]

    def line_at(self, position: int) -> Line:
        return self.lines[bisect_right(self.starts, position) - 1]


@dataclass
class _Score:
    rule: CauseRule
    total: float = 0.0
    strongest: float = 0.0
    places: list[int] = field(default_factory=list)


def diagnose_text(reading: Reading, torch: str | None = None, rules: Sequence[CauseRule] | None = None) -> Diagnosis:
    """Return why it failed, as far as the text tells.

    Args:
        reading: What was read.
        torch: Version of torch that was in use; causes that do not exist in it count less.
        rules: Causes to choose from; all where None.
    """
    text = _Text(reading.lines)
    scores = _ranked(text, torch, rules if rules is not None else cause_rules())
    causes = _causes(text, scores[: CAUSES_MAX + 1])
    verdict = _verdict(text, scores, causes)
    first = first_failure(reading.lines)
    return Diagnosis(
        verdict=verdict,
        causes=tuple(causes[:CAUSES_MAX]),
        first_failure=first,
        ranks=rank_ends(reading.lines),
        needed=_NEEDED if verdict == "unknown" else (),
    )


def shown_signs(rule: CauseRule, reading: Reading) -> list[Sign]:
    """Return the signs of a cause that a text shows."""
    text = _Text(reading.lines)
    return [sign for sign in rule.signs if _places(sign, text) is not None]


def _ranked(text: _Text, torch: str | None, rules: Sequence[CauseRule]) -> list[_Score]:
    scores = [score for rule in rules if (score := _score(rule, text)).total > 0]
    scores.sort(key=lambda score: (-score.total, score.rule.cause))
    if text.low.strip() and (not scores or scores[0].total < _LIKENESS_BELOW):
        scores = _with_likeness(text, scores, rules)
    if any(score.strongest >= _TELLING for score in scores if not score.rule.fallback):
        for score in scores:
            score.total *= _FALLBACK_FACTOR if score.rule.fallback else 1.0
    if torch is not None:
        for score in scores[: 2 * CAUSES_MAX]:
            if not holds_in(score.rule.card, torch):
                score.total *= _OTHER_VERSION_FACTOR
    return sorted(scores, key=lambda score: (-score.total, score.rule.cause))


def _with_likeness(text: _Text, scores: list[_Score], rules: Sequence[CauseRule]) -> list[_Score]:
    """Add the likeness to the cards of the causes, one weak sign."""
    by_cause = {score.rule.cause: score for score in scores}
    known = {rule.cause: rule for rule in rules}
    for cause, weight in likeness(text.low).items():
        if cause in known:
            score = by_cause.setdefault(cause, _Score(known[cause]))
            score.total += weight
    return sorted(by_cause.values(), key=lambda score: (-score.total, score.rule.cause))


def _score(rule: CauseRule, text: _Text) -> _Score:
    score = _Score(rule)
    for sign in rule.signs:
        places = _places(sign, text)
        if places is None:
            continue
        weight = sign.weight * _nearness(max(places) - min(places))
        score.total += weight
        if weight > 0:
            score.strongest = max(score.strongest, weight)
            score.places += places
    if rule.quantity is not None and score.total > 0:
        added = weight_of(rule.quantity, text.low)
        score.total += added
        score.strongest = max(score.strongest, added)
    return score


def _places(sign: Sign, text: _Text) -> list[int] | None:
    """Return the places of a sign's parts where they stand nearest to each other; None if one is missing."""
    found = []
    for part in sign.parts:
        if not (places := text.where(part)):
            return None
        found.append(places)
    best: list[int] = []
    for anchor in min(found, key=len):
        near = [min(places, key=lambda place: abs(place - anchor)) for places in found]
        if not best or max(near) - min(near) < max(best) - min(best):
            best = near
    return best


def _nearness(distance_chars: int) -> float:
    if distance_chars <= _NEAR_CHARS:
        return 1.0
    return _FAR_FACTOR if distance_chars <= _FAR_CHARS else _VERY_FAR_FACTOR


def _causes(text: _Text, scores: list[_Score]) -> list[Cause]:
    found = []
    for score in scores:
        rivals = [other.total for other in scores if other is not score]
        claim, fix = card_text(score.rule.card)
        found.append(
            Cause(
                cause=score.rule.cause,
                confidence=_confidence(score, max(rivals, default=0.0)),
                summary=claim,
                fix=fix,
                evidence=_evidence(text, score.places),
                cards=(score.rule.card,),
            )
        )
    return found


def _confidence(score: _Score, rival: float) -> float:
    if score.total <= 0:
        return 0.0
    alone = 1 - math.exp(-score.total / _SCALE)
    share = score.total**2 / (score.total**2 + _RIVAL_SHARE * rival**2)
    bound = _CONFIDENCE_MAX if score.strongest >= STRONG else CONFIDENCE_WITHOUT_STRONG_MAX
    return round(min(alone * share, bound), 2)


def _evidence(text: _Text, places: Iterable[int]) -> tuple[Evidence, ...]:
    lines = {(line.file, line.number): line for line in (text.line_at(place) for place in places)}
    return tuple(
        Evidence(file=line.file, line=line.number, text=line.text[:_EVIDENCE_CHARS])
        for line in list(lines.values())[:_EVIDENCE_MAX]
    )


def _verdict(text: _Text, scores: list[_Score], causes: list[Cause]) -> Literal["diagnosed", "unknown", "not_fsdp"]:
    if not causes or causes[0].confidence < UNKNOWN_BELOW or scores[0].strongest < _TELLING:
        return "unknown"
    outside = scores[0].rule.outside
    fsdp = _FSDP.search(text.low) is not None
    if outside == "never_fsdp" or (outside == "without_fsdp" and not fsdp):
        return "not_fsdp"
    return "not_fsdp" if not fsdp and _OTHERS.search(text.low) else "diagnosed"
