"""The rounds of mending: what was changed after each failure, why, and whether it held."""

from contracts.amendment import Amendment, Outcome
from contracts.request import Language
from engines.reporting.markdown import block, code, plain
from engines.reporting.phrases import phrase
from engines.reporting.story import Story

_OUTCOMES: dict[Outcome, str] = {
    "held": "outcome_held",
    "not_held": "outcome_not_held",
    "next_problem": "outcome_next_problem",
}


def section(story: Story) -> list[str]:
    """Each round with its cause, its fix, where it started from and its outcome."""
    lines: list[str] = []
    for made in story.amendments:
        lines.append(f"- {plain(round_sentence(made, story.language))}")
        lines += [f"  - {line}" for line in _details(made, story.language)]
    last = story.amendments[-1] if story.amendments else None
    return [*lines, "", block(last.diff.splitlines())] if last is not None and last.diff else lines


def round_sentence(made: Amendment, language: Language) -> str:
    """Return a round in one sentence."""
    outcome = phrase(_OUTCOMES[made.outcome] if made.outcome else "outcome_open", language)
    return phrase("round_line", language, round=made.round, cause=made.cause, fix=made.why, outcome=outcome)


def _details(made: Amendment, language: Language) -> list[str]:
    lines = [f"{code(place)}: {code(str(value))}" for place, value in made.settings.items()]
    if made.costs:
        lines.append(phrase("costs", language, costs=plain(made.costs)))
    if made.resumes_from is not None:
        lines.append(phrase("starts_from", language, path=code(made.resumes_from), why=plain(made.resume_reason)))
    elif made.resume_reason:
        lines.append(phrase("starts_over", language, why=plain(made.resume_reason)))
    if made.run_id:
        lines.append(code(made.run_id))
    return lines
