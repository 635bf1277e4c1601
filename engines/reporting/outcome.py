"""The sections of a report on what was decided, run and found out."""

import shlex

from contracts.request import Language
from contracts.run import RunRecord, RunState
from engines.reporting.markdown import block, code, plain
from engines.reporting.phrases import phrase
from engines.reporting.story import Story
from knowledge.cards import cards

_SHOWN_STARTS, _SHOWN_FILES = 5, 12
_STATES: dict[RunState, str] = {
    "submitted": "state_submitted",
    "queued": "state_queued",
    "starting": "state_starting",
    "running": "state_running",
    "stopping": "state_stopping",
    "done": "state_done",
    "failed": "state_failed",
    "cancelled": "state_cancelled",
    "refused": "state_refused",
    "lost": "state_lost",
}


def approval(story: Story) -> list[str]:
    """Who decided, when, on which hash, and what exactly it was about."""
    made = story.approval
    lines = []
    if made is not None:
        lines.append(
            phrase(
                "who",
                story.language,
                decision=made.decision,
                approver=plain(made.approver),
                at=made.decided_at,
                via=made.via,
                hash=code(made.launch_hash),
            )
        )
        if made.reason:
            lines.append(f"> {plain(made.reason)}")
    launch = story.launched or (story.plan.launch if story.plan else None)
    if launch is not None:
        lines += ["", block([shlex.join((launch.interpreter, *launch.argv)), f"# in {launch.workdir}"]), ""]
        if launch.launches:
            lines += [block(shlex.join((launch.interpreter, *one.argv)) for one in launch.launches), ""]
        lines += [f"- {entry.role}: {code(entry.path)} {code(entry.sha256)}" for entry in launch.inputs]
    return lines


def run(story: Story, picture: str | None) -> list[str]:
    """How the run went: state, loss, speed, checkpoints, export."""
    record, series, language = story.run, story.series, story.language
    if record is None:
        return []
    lines = [run_sentence(story)]
    if series.loss_first is not None and series.loss_last is not None:
        lines.append(phrase("loss", language, first=series.loss_first, last=series.loss_last))
    if series.tokens_per_s is not None:
        lines.append(phrase("speed", language, speed=series.tokens_per_s))
    if series.checkpoints:
        lines.append(phrase("checkpoints", language, steps=", ".join(map(str, series.checkpoints))))
    if isinstance(record.result.get("export"), str):
        lines.append(phrase("export", language, path=code(str(record.result["export"]))))
    lines.append(phrase("run_folder", language, path=code(record.run_dir)))
    if record.reason:
        lines.append(phrase("ended", language, reason=plain(record.reason)))
    lines += _handover(record, language)
    items = [f"- {line}" for line in lines]
    return [*items, "", f"![loss]({picture})"] if picture else items


def _handover(record: RunRecord, language: Language) -> list[str]:
    """Which starts failed, why there was no other, and where to look."""
    given = record.handover
    if given is None:
        return []
    lines = []
    for start in given.starts[-_SHOWN_STARTS:]:
        place = plain(start.place or "?")
        where = place if place.startswith("before") else phrase("at_place", language, place=place)
        lines.append(phrase("failed_start", language, attempt=start.attempt, place=where, error=code(start.error)))
    lines.append(phrase("not_restarted", language, reason=plain(given.reason)))
    if given.evidence:
        shown = ", ".join(code(name) for name in given.evidence[:_SHOWN_FILES])
        rest = len(given.evidence) - _SHOWN_FILES
        lines.append(phrase("evidence", language, files=shown + (f" (+{rest})" if rest > 0 else "")))
    return lines


def state_word(state: RunState, language: Language) -> str:
    """Return where a run stands, as a word of the language."""
    return phrase(_STATES[state], language)


def run_sentence(story: Story) -> str:
    """How the run stands, in one sentence."""
    record = story.run
    assert record is not None
    state = state_word(record.state, story.language)
    told = {"run_id": record.run_id, "state": state, "attempts": record.attempt}
    if record.kind == "trials":
        return phrase("ran_trials", story.language, **told)
    if record.steps is None and not record.step:
        return phrase("ran_script", story.language, **told)  # a script need not tell of any steps
    steps = record.step if record.step is not None else 0
    shown = f"{steps}/{record.steps}" if record.steps is not None else str(steps)
    return phrase("ran", story.language, steps=shown, **told)


def diagnosis(story: Story, timeline: str | None = None) -> list[str]:
    """The causes with their lines, what happened in which order, or what is missing to know it."""
    found, language = story.diagnosis, story.language
    if found is None:
        return []
    lines = []
    for cause in found.causes:
        lines.append(f"- **{code(cause.cause)}** ({cause.confidence:.0%}): {plain(cause.summary)}")
        lines.append(f"  - {phrase('fix', language)}: {plain(cause.fix)}")
        lines += [f"  - {code(f'{e.file}:{e.line}')}: {code(e.text)}" for e in cause.evidence]
    if not found.causes:
        lines.append(phrase("cause_unknown", language))
    if found.first_failure:
        lines += ["", phrase("first_failure", language, what=plain(found.first_failure))]
    if found.hang is not None:
        lines += ["", plain(found.hang.text)]
    if found.chain:
        lines += ["", phrase("what_happened", language), ""]
        lines += [f"- {link.role}{_who(link.rank)}: {code(link.text)}" for link in found.chain]
    if timeline:
        lines += ["", f"![timeline]({timeline})"]
    if found.ranks:
        lines += ["", *(f"- rank {plain(rank)}: {plain(end)}" for rank, end in found.ranks.items())]
    if found.needed:
        lines += ["", phrase("collect", language), "", *(f"- {code(item)}" for item in found.needed)]
    return lines


def _who(rank: str | None) -> str:
    return "" if rank is None else f", rank {rank}"


def answer(story: Story) -> list[str]:
    """The cited answer."""
    if story.answer is None:
        return []
    lines = [plain(line, 20_000) for line in story.answer.answer.splitlines()]
    return [*lines, "", f"({plain(story.answer.notice)})"] if story.answer.notice else lines


def citations(story: Story) -> list[str]:
    """What the statements of the report rest on."""
    lines = []
    if story.answer is not None:
        lines = [f"- {code(c.card)}: {plain(c.claim)} <{c.source}> ({c.evidence})" for c in story.answer.citations]
    named = [card for reason in (story.need.reasons if story.need else ()) for card in reason.cards]
    named += [card for made in (story.plan.decisions if story.plan else ()) for card in made.cards]
    named += [card for found in story.findings for card in found.cards]
    named += [card for cause in (story.diagnosis.causes if story.diagnosis else ()) for card in cause.cards]
    return lines + [_cited(slug) for slug in dict.fromkeys(named)]


def _cited(slug: str) -> str:
    card = cards().get(slug)
    if card is None:
        return f"- {code(slug)}"
    return f"- {code(slug)}: {plain(card.claim)} <{card.sources[0].url}> ({card.evidence})"


def failure_phrase(story: Story) -> str:
    """Name of the sentence that tells the error: what is lacking can still be given."""
    return "lacking" if story.phase == "needs_input" else "failed"


def failure(story: Story) -> list[str]:
    """The error of the thread."""
    broken, language = story.failure, story.language
    if broken is None:
        return []
    lines = [phrase(failure_phrase(story), language, code=code(broken.code), message=plain(broken.message))]
    return [*lines, "", phrase("hint", language, hint=plain(broken.hint))] if broken.hint else lines
