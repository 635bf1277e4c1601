"""The gist of a thread in a few sentences, for a chat or a terminal."""

from collections import Counter

from engines.reporting.outcome import failure_phrase, run_sentence
from engines.reporting.phrases import phrase
from engines.reporting.rounds import round_sentence
from engines.reporting.sections import peak_sentence, ready_sentence
from engines.reporting.story import Story
from engines.reporting.study import conclusion_lines
from engines.reporting.trials import trial_lines

_SHOWN_HASH_DIGITS = 12


def summarize(story: Story) -> str:
    """Return what a person needs to know now, in the story's language."""
    lines: list[str] = []
    if story.failure is not None:
        lines += _failure(story)
    if story.phase == "needs_input":
        lines += [] if _is_study(story) else _questions(story)
    elif story.phase == "not_advised":
        lines += _not_advised(story)
    elif story.phase == "declined" and story.approval is not None:
        lines += [phrase("declined", story.language, approver=story.approval.approver), *_study(story)]
    elif story.study is not None:
        lines += _study(story)
    elif story.run is not None:
        lines += _run(story)
    elif story.answer is not None:
        lines.append(story.answer.answer)
        lines += [f"({story.answer.notice})"] if story.answer.notice else []
        lines += [f"[{entry.card}] {entry.source}" for entry in story.answer.citations]
    elif story.plan is not None:
        lines += _plan(story)
    elif story.need is not None and story.need.intent == "review" and story.failure is None:
        lines += _review(story)
    lines += [round_sentence(made, story.language) for made in story.amendments]
    if story.diagnosis is not None:
        lines += _diagnosis(story)
    return "\n".join(lines) or phrase("nothing", story.language)


def _is_study(story: Story) -> bool:
    return story.request is not None and bool(story.request.study)


def _study(story: Story) -> list[str]:
    study = story.study
    if study is None:
        return []
    lines = [study.subject, *(f"- {line}" for line in conclusion_lines(study))]
    if study.decide_by:
        lines += [f"{phrase('decide_by', story.language)}:", *(f"- {line}" for line in study.decide_by)]
    return lines


def _failure(story: Story) -> list[str]:
    broken = story.failure
    assert broken is not None
    lines = [phrase(failure_phrase(story), story.language, code=broken.code, message=broken.message)]
    return [*lines, phrase("hint", story.language, hint=broken.hint)] if broken.hint else lines


def _questions(story: Story) -> list[str]:
    if story.need is None:
        return []
    lines = [reason.text for reason in story.need.reasons]
    gaps = [gap.question for gap in story.need.missing if gap.assumed is None]
    return [*lines, phrase("questions", story.language), *(f"- {question}" for question in gaps)] if gaps else lines


def _not_advised(story: Story) -> list[str]:
    need = story.need
    if need is None:
        return []
    lines = [phrase("not_fsdp", story.language, verdict=need.verdict), *(reason.text for reason in need.reasons)]
    return [*lines, need.instead] if need.instead else lines


def _run(story: Story) -> list[str]:
    assert story.run is not None
    lines = [run_sentence(story)]
    if story.run.kind == "trials" and story.trials is not None:
        return [*lines, *trial_lines(story.trials, story.language)]
    first, last = story.series.loss_first, story.series.loss_last
    if first is not None and last is not None:
        lines.append(phrase("loss", story.language, first=first, last=last))
    if isinstance(story.run.result.get("export"), str):
        lines.append(phrase("export", story.language, path=story.run.result["export"]))
    return lines


def _plan(story: Story) -> list[str]:
    plan = story.plan
    assert plan is not None
    fits = {True: "fits_yes", False: "fits_no", None: "fits_unknown"}[plan.fits]
    lines = [
        ready_sentence(story),
        f"{peak_sentence(plan, story.language)} {phrase(fits, story.language)}",
    ]
    errors = sum(found.severity == "error" for found in story.findings)
    if errors:
        lines += [phrase("blocked", story.language, errors=errors), *_worst(story)]
    elif plan.launch is not None:
        lines.append(phrase("plan_launch", story.language, hash=plan.launch.launch_hash[:_SHOWN_HASH_DIGITS]))
    return lines


def _review(story: Story) -> list[str]:
    count = Counter(found.severity for found in story.findings)
    head = phrase("reviewed", story.language, errors=count["error"], warnings=count["warning"], advice=count["advice"])
    return [head, *_worst(story)]


def _worst(story: Story, shown: int = 5) -> list[str]:
    order = {"error": 0, "warning": 1, "advice": 2}
    ranked = sorted(story.findings, key=lambda found: order[found.severity])
    return [f"- {found.rule} {found.file}:{found.line}: {found.message}" for found in ranked[:shown]]


def _diagnosis(story: Story) -> list[str]:
    found = story.diagnosis
    assert found is not None
    lines = [f"{cause.cause}: {cause.summary} {cause.fix}" for cause in found.causes[:3]]
    if not lines:
        lines = [phrase("cause_unknown", story.language)]
    if found.first_failure:
        lines.append(phrase("first_failure", story.language, what=found.first_failure))
    if found.needed:
        lines += [phrase("collect", story.language), *(f"- {item}" for item in found.needed)]
    return lines
