"""From what was read to the causes: signs are weighed, causes ranked, confidence is kept honest."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from contracts.diagnosis import Cause, Diagnosis, Evidence
from engines.diagnosis.cause import STRONG, CauseRule, Sign
from engines.diagnosis.chain import chain, first_diverged, first_failure, rank_ends, rank_states
from engines.diagnosis.claims import clues_of_claims
from engines.diagnosis.clue import Clue
from engines.diagnosis.collect import needed
from engines.diagnosis.end_causes import clues_of_ends
from engines.diagnosis.ended_well import ended_well
from engines.diagnosis.hang import standstill
from engines.diagnosis.hang_causes import clues_of
from engines.diagnosis.losses import clues_of_losses
from engines.diagnosis.reading import Reading
from engines.diagnosis.registry import cause_rules
from engines.diagnosis.scoring import TELLING, Score, places, ranked
from engines.diagnosis.specifics import here
from engines.diagnosis.text import Text
from engines.diagnosis.tracebacks import raised_in, waiting_stacks
from engines.diagnosis.watchdogs import clues_of_watchdogs, ranks_apart
from engines.diagnosis.wording import card_text

CAUSES_MAX = 5
"""Causes that are named."""
UNKNOWN_BELOW = 0.3
"""Confidence below which the verdict is `unknown`."""
HINTS_SUFFICE = 0.5
"""Confidence from which hints and likeness to known reports suffice: of such answers 97 % are right when held out."""
CONFIDENCE_WITHOUT_STRONG_MAX = 0.8
"""Bound on the confidence of a cause without a specific sign."""

_CONFIDENCE_MAX = 0.95
_SCALE = 4.0  # score at which 63 % of the confidence is there
_RIVAL_SHARE = 0.5
_EVIDENCE_MAX = 4
_EVIDENCE_CHARS = 300
_FSDP = re.compile(
    r"(?<!\bno )(?<!\bwithout )(?<!\bnot )fsdp|fully_shard|fully ?sharded|full_shard|hybrid_shard|\bhsdp\b"
    r"|dtensor|flat_param"
)
_SHARDS = re.compile(r"_allgather_base|_reduce_scatter_base")
"""Collectives of FSDP, which others call as well."""
_OTHERS = re.compile(
    r"\bdistributeddataparallel\b|(?<!initializing )(?<!with )(?<!under )(?<!like )(?<!as )(?<!than )\bddp\b"
    r"|(?:lightning|plain) with ddp|deepspeed|\bzero[- ]?(?:[123]|stage|optimization)|zero_optimization"
)


def diagnose_text(
    reading: Reading,
    torch: str | None = None,
    rules: Sequence[CauseRule] | None = None,
    clues: Iterable[Clue] = (),
    known_as: str | None = None,
) -> Diagnosis:
    """Return why it failed, as far as what was read tells.

    Args:
        reading: What was read.
        torch: Version of torch that was in use; causes that do not exist in it count less.
        rules: Causes to choose from; all where None.
        clues: What is known besides: findings of a review, numbers of the memory model.
        known_as: Cause for whose report the text is known; its likeness to itself is left out.
    """
    raised = raised_in(reading.lines)
    stacks = waiting_stacks(raised, reading.lines) | reading.stacks
    still = standstill(reading.recordings, stacks)
    source = next((recording.file for recording in reading.recordings), "stacks of the ranks")
    place = (source, 1) if reading.recordings or reading.stacks or not raised else raised[0].place
    known = [*clues, *clues_of(still, stacks, *place), *clues_of_ends(raised, reading.lines, still, stacks)]
    known += [*clues_of_losses(reading.lines), *clues_of_claims(reading.lines), *clues_of_watchdogs(reading.lines)]
    text = Text(reading.lines)
    scores = ranked(text, rules if rules is not None else cause_rules(), torch, known, known_as)
    causes = _causes(text, scores[: CAUSES_MAX + 1])
    verdict = _verdict(text, scores, causes)
    if verdict == "unknown" and (ended := ended_well(text.low, reading)) is not None:
        return Diagnosis(verdict="no_failure", remark=ended)
    diverged = first_diverged(reading.watch, still)
    if still.hang is None:
        diverged = ranks_apart(reading.lines) or diverged
    return Diagnosis(
        verdict=verdict,
        causes=tuple(causes[:CAUSES_MAX]),
        first_failure=first_failure(reading.watch),
        ranks=rank_ends(reading.watch),
        needed=needed(text.low, reading, diverged) if verdict == "unknown" else (),
        rank_states=rank_states(reading.watch, still),
        first_diverged=diverged,
        chain=chain(reading.watch, still),
        hang=still.hang,
    )


def shown_signs(rule: CauseRule, reading: Reading) -> list[Sign]:
    """Return the signs of a cause that a text shows."""
    text = Text(reading.lines)
    return [sign for sign in rule.signs if places(sign, text) is not None]


def _causes(text: Text, scores: list[Score]) -> list[Cause]:
    found: list[Cause] = []
    raw = text.raw
    for score in scores:
        rivals = [other.total for other in scores if other is not score]
        claim, fix = card_text(score.rule.card)
        found.append(
            Cause(
                cause=score.rule.cause,
                confidence=confidence(score, max(rivals, default=0.0)),
                summary=claim,
                fix=" ".join(filter(None, (_where(score, raw), fix))),
                evidence=_evidence(text, score),
                cards=(score.rule.card,),
                cost=score.rule.cost,
                confirm=score.rule.confirm,
            )
        )
    return [cause for cause in found if cause.confidence > 0]


def confidence(score: Score, rival: float) -> float:
    """Return the probability that a cause is the right one.

    Args:
        score: What speaks for it.
        rival: Score of the best other cause.
    """
    if score.total <= 0:
        return 0.0
    alone = 1 - math.exp(-score.total / _SCALE)
    share = score.total**2 / (score.total**2 + _RIVAL_SHARE * rival**2)
    bound = _CONFIDENCE_MAX if score.strongest >= STRONG else CONFIDENCE_WITHOUT_STRONG_MAX
    return round(min(alone * share, bound), 2)


def _where(score: Score, raw: str) -> str:
    """Return where the fix goes: to the line that a review found, else to what the text names."""
    found = next((clue for clue in score.clues if clue.weight > 0 and clue.file.endswith(".py")), None)
    if found is not None:
        return " ".join(filter(None, (f"The place to change is line {found.line} of {found.file}.", found.fix)))
    return here(score.rule.cause, raw)


def _evidence(text: Text, score: Score) -> tuple[Evidence, ...]:
    lines = {(line.file, line.number): line for line in (text.line_at(place) for place in score.places)}
    given = [Evidence(file=clue.file, line=clue.line, text=clue.text[:_EVIDENCE_CHARS]) for clue in score.clues]
    read = [
        Evidence(file=line.file, line=line.number, text=line.text[:_EVIDENCE_CHARS])
        for line in list(lines.values())[:_EVIDENCE_MAX]
    ]
    return (*given[:_EVIDENCE_MAX], *read)


def _verdict(text: Text, scores: list[Score], causes: list[Cause]) -> Literal["diagnosed", "unknown", "not_fsdp"]:
    fsdp, other = _FSDP.search(text.low) is not None, _OTHERS.search(text.low) is not None
    if causes and other and not fsdp:
        return "not_fsdp"
    if not causes or causes[0].confidence < (UNKNOWN_BELOW if scores[0].strongest >= TELLING else HINTS_SUFFICE):
        return "unknown"
    outside = scores[0].rule.outside
    without = not fsdp and not _SHARDS.search(text.low)
    return "not_fsdp" if outside == "never_fsdp" or (outside == "without_fsdp" and without) else "diagnosed"
