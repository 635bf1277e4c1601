"""report: the written account of a thread, and its gist as a message."""

import re
from pathlib import Path
from typing import Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime

from contracts.amendment import Amendment, round_of
from contracts.answer import Answer
from contracts.approval import Approval
from contracts.canonical import content_hash
from contracts.diagnosis import Diagnosis
from contracts.errors import FsdpAgentError
from contracts.finding import Finding
from contracts.launch import LaunchRequest
from contracts.need import Need
from contracts.plan import Plan
from contracts.report import Report
from contracts.request import Request
from contracts.run import RunRecord
from contracts.settings import Settings
from contracts.study import Study
from contracts.trials import Trials
from engines.diagnosis.picture import timeline_png
from engines.mending.rounds import judged
from engines.reporting.curve import draw_loss_curve
from engines.reporting.document import render
from engines.reporting.memory_bar import draw_memory_bar
from engines.reporting.page import render_page
from engines.reporting.phrases import phrase
from engines.reporting.series import TrainingSeries
from engines.reporting.story import Failure, Story
from engines.reporting.study_chart import draw_study
from engines.reporting.summary import summarize
from engines.reporting.trials import draw_trials
from nodes.setting import home_of, tell, thread_of
from runners import Backends, Home

_LOSS, _MEMORY, _TIMELINE, _TRIALS = "loss.png", "memory.png", "timeline.png", "trials.png"
_STUDY = "study.png"
_FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Reads(TypedDict, total=False):
    """All that the thread has found out."""

    asked: dict[str, Any] | None
    need: dict[str, Any] | None
    plan: dict[str, Any] | None
    trials: dict[str, Any] | None
    findings: list[dict[str, Any]]
    approval: dict[str, Any] | None
    run: dict[str, Any] | None
    answer: dict[str, Any] | None
    study: dict[str, Any] | None
    diagnosis: dict[str, Any] | None
    amendments: list[dict[str, Any]]
    error: dict[str, Any] | None
    phase: str


class Writes(TypedDict, total=False):
    """The Report, its summary for the conversation, and whether the newest fix held."""

    report: dict[str, Any]
    amendments: list[dict[str, Any]]
    messages: list[AnyMessage]


def report(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Write Markdown, HTML and pictures into the home folder; say the gist in the thread."""
    home = home_of(runtime)
    thread_id = thread_of(runtime)
    story = _story(state, thread_id, home)
    summary = summarize(story)
    path: str | None = None
    pictures: tuple[str, ...] = ()
    if story.worth_a_file:
        tell(runtime, "reporting", phrase("doing_report", story.language))
        try:
            path, pictures = _write(story, home.reports / _folder_name(thread_id))
            summary += "\n" + phrase("report", story.language, path=path)
        except OSError as error:
            summary += f"\n{phrase('failed', story.language, code='report_unwritable', message=str(error))}"
    made = Report(
        path=path,
        pictures=pictures,
        summary=summary,
        loss_first=story.series.loss_first,
        loss_last=story.series.loss_last,
        rounds=tuple(map(round_of, story.amendments)),
    )
    return Writes(
        report=made.model_dump(mode="json"),
        amendments=[entry.model_dump(mode="json") for entry in story.amendments],
        messages=[AIMessage(summary)],
    )


def _story(state: Reads, thread_id: str, home: Home) -> Story:
    error = state.get("error")
    run = RunRecord.model_validate(state["run"]) if state.get("run") else None
    diagnosis = Diagnosis.model_validate(state["diagnosis"]) if state.get("diagnosis") else None
    amendments = [Amendment.model_validate(entry) for entry in state.get("amendments") or ()]
    return Story(
        phase=state["phase"],
        thread_id=thread_id,
        request=Request.model_validate(state["asked"]) if state.get("asked") else None,
        need=Need.model_validate(state["need"]) if state.get("need") else None,
        plan=Plan.model_validate(state["plan"]) if state.get("plan") else None,
        trials=Trials.model_validate(state["trials"]) if state.get("trials") else None,
        findings=tuple(Finding.model_validate(found) for found in state.get("findings") or ()),
        approval=Approval.model_validate(state["approval"]) if state.get("approval") else None,
        run=run,
        launched=_launched(run, home) if run else None,
        series=_series(run, home) if run else TrainingSeries(),
        answer=Answer.model_validate(state["answer"]) if state.get("answer") else None,
        study=Study.model_validate(state["study"]) if state.get("study") else None,
        amendments=judged(amendments, run, diagnosis),
        diagnosis=diagnosis,
        failure=Failure(**error) if error else None,
    )


def _series(run: RunRecord, home: Home) -> TrainingSeries:
    series, cursor = TrainingSeries(), 0
    runner = Backends(home)
    try:
        while True:
            page = runner.events(run.run_id, cursor)
            series.add(page.events)
            if not page.events or page.cursor <= cursor:
                return series
            cursor = page.cursor
    except FsdpAgentError:
        return series  # a run folder that was taken away: the record is all there is


def _launched(run: RunRecord, home: Home) -> LaunchRequest | None:
    """Return what a run was started with; None where its folder was taken away."""
    try:
        return Backends(home).launch(run.run_id)
    except FsdpAgentError:
        return None


def _write(story: Story, folder: Path) -> tuple[str, tuple[str, ...]]:
    folder.mkdir(parents=True, exist_ok=True)
    pictures = _pictures(story)
    for name, content in pictures.items():
        (folder / name).write_bytes(content)
    text = render(story, *(name if name in pictures else None for name in (_LOSS, _MEMORY, _TIMELINE, _TRIALS, _STUDY)))
    path = folder / "report.md"
    path.write_text(text, encoding="utf-8")
    page = render_page(text, pictures, f"fsdp-agent {story.thread_id}", story.language)
    (folder / "report.html").write_text(page, encoding="utf-8")
    return str(path), tuple(str(folder / name) for name in pictures)


def _pictures(story: Story) -> dict[str, bytes]:
    """The pictures of the report by their file names."""
    drawn, language = {}, story.language
    if story.series.loss and story.run is not None:
        drawn[_LOSS] = draw_loss_curve(story.series, f"{story.run.run_id}: {story.run.state}")
    if story.plan is not None and story.plan.memory is not None and story.plan.memory.breakdown_gib:
        drawn[_MEMORY] = draw_memory_bar(story.plan.memory, phrase("memory_title", language), language)
    if story.trials is not None and (bars := draw_trials(story.trials, language)) is not None:
        drawn[_TRIALS] = bars
    if story.study is not None and (made := draw_study(story.study)) is not None:
        drawn[_STUDY] = made
    if story.diagnosis is not None and (picture := timeline_png(story.diagnosis)) is not None:
        drawn[_TIMELINE] = picture
    return drawn


def _folder_name(thread_id: str) -> str:
    """A thread id comes from outside: as a folder it is a plain name, or its hash."""
    return thread_id if _FOLDER_NAME.fullmatch(thread_id) else content_hash(thread_id)[:32]
