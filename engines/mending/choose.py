"""From a diagnosis to the next round: the first cure whose preconditions hold, that was not tried yet."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contracts.amendment import MAX_ROUNDS, Amendment
from contracts.canonical import content_hash
from contracts.diagnosis import Cause, Diagnosis
from contracts.finding import Edit
from contracts.run import RunRecord
from contracts.wording import told
from engines.mending.phrases import STARTS
from engines.mending.situation import Mend, Repaired, Saved, Situation
from engines.mending.table import CURES
from engines.mending.texts import edits_between, unified_diff

CONFIDENCE_MIN = 0.3
"""Confidence that a cause needs to be acted upon; below, the diagnosis itself is `unknown`."""
_CONSIDERED = 2
"""Causes whose cures are looked at: the best, and the next where none of the best one's fits."""


def next_amendment(
    diagnosis: Diagnosis,
    situation: Situation,
    own: Mapping[str, str],
    before: Sequence[Amendment],
    failed: RunRecord,
) -> Amendment | None:
    """Return what is changed for the next launch; None where a person has to decide.

    Args:
        diagnosis: Why the run failed.
        situation: How it ran.
        own: The user's own files as they are, by their paths.
        before: Earlier rounds, the oldest first.
        failed: The run.
    """
    if diagnosis.verdict == "unknown" or len(before) >= MAX_ROUNDS:
        return None
    tried = {_print(amendment.settings, amendment.edits) for amendment in before}
    for cause in diagnosis.causes[:_CONSIDERED]:
        if cause.confidence < CONFIDENCE_MIN:
            break
        for mend in _mends(cause, situation):
            made = _amendment(cause, mend, situation, own, before, failed)
            if made is not None and _print(made.settings, made.edits) not in tried:
                return made
        if cause.cause not in CURES:
            break  # a person has to look at it: the runner-up would be a guess
    return None


def handed_back(diagnosis: Diagnosis, rounds: int, resume: str = "") -> str:
    """Return what a person has to do where no round follows.

    Args:
        diagnosis: Why the run failed.
        rounds: Rounds so far.
        resume: Command by which the run goes on unchanged, where there is one.
    """
    said = _handed_back(diagnosis, rounds)
    return f"{said} To go on unchanged from the newest checkpoint: {resume}".strip() if resume else said


def _handed_back(diagnosis: Diagnosis, rounds: int) -> str:
    if diagnosis.verdict == "unknown" or not diagnosis.causes:
        asked = "; ".join(diagnosis.needed[:3])
        return f"the cause is not known, so nothing is changed; to know more, collect: {asked}." if asked else ""
    best = diagnosis.causes[0]
    fix = best.fix.split(". ")[0].rstrip(".")
    if rounds >= MAX_ROUNDS:
        return f"{rounds} rounds were made, which is the most; the cause now is {best.cause}. By hand: {fix}."
    return f"for {best.cause} there is no change that is safe without you. By hand: {fix}. Then run the request again."


def _mends(cause: Cause, situation: Situation) -> Iterator[Mend]:
    for cure in CURES.get(cause.cause, ()):
        if (mend := cure(situation)) is not None:
            yield mend
    for repaired in situation.repaired:
        if set(repaired.cards) & set(cause.cards):
            yield _of_review(repaired, situation)


def _of_review(repaired: Repaired, situation: Situation) -> Mend:
    why = told(STARTS, "review", situation.language, message=repaired.message)
    return Mend("script", why, texts={repaired.file: repaired.text})


def _amendment(
    cause: Cause,
    mend: Mend,
    situation: Situation,
    own: Mapping[str, str],
    before: Sequence[Amendment],
    failed: RunRecord,
) -> Amendment | None:
    """Return a mend as the next round; None where it changes nothing, or not what can be changed."""
    texts = {path: text for path, text in situation.sources.items() if own.get(path) != text} | {**mend.texts}
    if mend.texts and (_refuses_copies(situation, texts) or not set(texts) <= set(own)):
        return None
    if not mend.texts and not mend.settings:
        return None
    start = _start(mend, situation)
    return Amendment(
        round=len(before) + 1,
        cause=cause.cause,
        kind=mend.kind,
        settings=dict(mend.settings),
        edits={path: edits_between(own[path], text) for path, text in texts.items()},
        diff=unified_diff(own, texts),
        why=mend.why,
        costs=mend.costs,
        resumes_from=start.path if start else None,
        resumes_step=start.step if start else None,
        resume_reason=_reason(mend, situation, start),
        after_run=failed.run_id,
        after_launch=failed.launch_hash,
    )


def _refuses_copies(situation: Situation, texts: Mapping[str, str]) -> bool:
    """Tell whether a script cannot run as a copy elsewhere: it is a module, or looks for files beside itself."""
    script = situation.request.script
    every = {**situation.sources, **texts}
    return script is None or script.path is None or any("__file__" in text for text in every.values())


def _start(mend: Mend, situation: Situation) -> Saved | None:
    if situation.script or mend.resume == "beginning":
        return None
    limit = situation.trouble_step if mend.resume == "before_trouble" else None
    return next((saved for saved in situation.saved if limit is None or saved.step < limit), None)


def _reason(mend: Mend, situation: Situation, start: Saved | None) -> str:
    language = situation.language
    if situation.script:
        return told(STARTS, "script", language)
    if mend.resume == "beginning":
        return told(STARTS, "at_fault", language)
    if start is None:
        return told(STARTS, "none", language)
    if mend.resume == "before_trouble" and situation.trouble_step is not None:
        return told(STARTS, "before_trouble", language, step=start.step, trouble=situation.trouble_step)
    return told(STARTS, "newest", language, step=start.step)


def _print(settings: Mapping[str, Any], edits: Mapping[str, tuple[Edit, ...]]) -> str:
    """Return what tells one fix from another."""
    return content_hash(
        {
            "settings": dict(settings),
            "edits": {path: [edit.model_dump(mode="json") for edit in list_] for path, list_ in edits.items()},
        }
    )
