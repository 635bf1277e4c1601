"""`ask --study`: a question that takes several configurations, estimated, where approved measured, and concluded."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import InputError
from interfaces.cli.options import settings
from interfaces.cli.output import Output

if TYPE_CHECKING:
    from contracts.request import Request
    from contracts.study import Study
    from interfaces.results import Thread


def study(
    out: Output, asked: "Request", home: Path | None, interpreter: str | None, follow: bool | None, thread: str | None
) -> int:
    """Make a study, ask for approval of its trials where it has some, and return the exit code.

    Args:
        out: Where it is printed.
        asked: The question with what is known of the job.
        home: The home folder as it was given.
        interpreter: Python of the training environment; the agent's own where None.
        follow: Whether trials are followed to their end; in a terminal where None.
        thread: Id to give the thread; a new one where None.
    """
    from interfaces.cli.run import ask_at_terminal, conclude, show_waiting
    from interfaces.results_study import StudyAnswer
    from interfaces.service_threads import start_run

    chosen = settings(home, interpreter)
    stand = start_run(chosen, asked, thread, told=out.progress if out.as_json else out.note)
    if not out.as_json and stand.study is not None:
        show_study(out, stand.study)
    elif not out.as_json and stand.error is None and stand.report is not None:
        out.progress(stand.report.summary)  # the need gate let it go no further: its reason is the answer
    if stand.phase == "awaiting_approval" and stand.launch_hash is not None:
        show_waiting(out, stand)
        if out.interactive:
            stand = ask_at_terminal(chosen, stand, stand.launch_hash)
    return conclude(
        out,
        chosen,
        home,
        stand,
        out.interactive if follow is None else follow,
        StudyAnswer.of_thread,
        None if out.as_json else _end,
    )


def request_of(question: str, file: Path | None, fields: dict[str, Any]) -> "Request":
    """Return the request of a study.

    Args:
        question: The question.
        file: A request file with model, data and machine; what it says else is left.
        fields: What the options give; they win over the file.

    Raises:
        InputError: The file asks for something else than a study of its own model and machine.
    """
    from interfaces.service import make_request, read_request_file

    body: dict[str, Any] = {}
    if file is not None:
        body = read_request_file(file).model_dump(mode="json", exclude_unset=True)
        if body.get("script"):
            raise InputError("a study is of the built-in recipe; a script of your own cannot be estimated")
    for name, value in fields.items():
        body[name] = {**body[name], **value} if isinstance(body.get(name), dict) else value
    for name in ("paths", "trials", "store_calibration"):
        body.pop(name, None)
    return make_request(body | {"text": question, "intent": "ask", "study": True})


def show_study(out: Output, study: "Study") -> None:
    """Print a study: the table, the conclusion, what remains uncertain, what would decide it."""
    from rich.text import Text

    from engines.reporting.phrases import phrase
    from engines.reporting.study import conclusion_lines, shown_table
    from interfaces.cli.tables import plain_table
    from interfaces.cli.text import one_line

    language = study.language
    out.progress(study.subject)
    headings, rows = shown_table(study, leave_out=("sharded_states", "step"))
    table = plain_table(*headings)
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    out.table(table)
    for line in conclusion_lines(study):
        out.progress(line)
    for key, lines in (("uncertain", study.uncertain), ("decide_by", study.decide_by)):
        if lines:
            out.progress(f"\n{phrase(key, language)}:")
        for line in lines:
            out.progress(f"- {line}")
    if study.citations:
        out.progress("")
    for cited in study.citations:
        out.progress(f"  [{cited.card}] {cited.source} ({cited.evidence})")


def _end(out: Output, stand: "Thread", home: str) -> None:
    """Print where the thread stands; what was measured since changes the study."""
    from interfaces.cli.thread_text import show_stand

    if stand.study is not None and stand.trials is not None and stand.trials.results:
        show_study(out, stand.study)
    if stand.report is not None and stand.report.path is not None:
        out.progress(stand.report.summary.splitlines()[-1])
    show_stand(out, stand, home)
