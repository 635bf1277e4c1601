"""The Markdown report of a thread."""

from engines.reporting import outcome, rounds, sections, study, trials
from engines.reporting.markdown import code
from engines.reporting.phrases import phrase
from engines.reporting.story import Story


def render(
    story: Story,
    picture: str | None = None,
    memory_picture: str | None = None,
    timeline: str | None = None,
    trials_picture: str | None = None,
    study_picture: str | None = None,
) -> str:
    """Return the report as Markdown; sections with nothing to say are left out.

    Args:
        story: What is known.
        picture: Path of the loss curve, relative to the report; None where there is none.
        memory_picture: Path of the picture of the predicted memory, likewise.
        timeline: Path of the picture of the ranks' timeline, likewise.
        trials_picture: Path of the picture of trials, likewise.
        study_picture: Path of the picture of a study, likewise.
    """
    if story.study is not None:
        parts = [
            ("failure", outcome.failure(story)),
            ("asked", sections.asked(story)),
            *study.sections(story, study_picture),
            ("approval", outcome.approval(story)),
            ("run", outcome.run(story, picture)),
            ("trials", trials.section(story, trials_picture)),
        ]
        return _page(story, parts)
    parts = [
        ("failure", outcome.failure(story)),
        ("asked", sections.asked(story)),
        ("need", sections.need(story)),
        ("answer", outcome.answer(story)),
        ("plan", sections.plan(story)),
        ("memory", sections.memory(story, memory_picture)),
        ("decisions", sections.decisions(story)),
        ("findings", sections.findings(story)),
        ("approval", outcome.approval(story)),
        ("run", outcome.run(story, picture)),
        ("trials", trials.section(story, trials_picture)),
        ("rounds", rounds.section(story)),
        ("diagnosis", outcome.diagnosis(story, timeline)),
        ("citations", outcome.citations(story)),
    ]
    return _page(story, parts)


def _page(story: Story, parts: list[tuple[str, list[str]]]) -> str:
    lines = [
        f"# {phrase('title', story.language)}",
        "",
        f"{phrase('thread', story.language)} {code(story.thread_id)}: **{story.phase}**",
        "",
    ]
    for heading, body in parts:
        if body:
            lines += [f"## {phrase(heading, story.language)}", "", *body, ""]
    return "\n".join(lines)
