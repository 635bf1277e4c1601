"""watch: wait for a run without holding a worker.

The interrupt carries the run id. Whatever it is resumed with is a hint that something
may have happened; what did happen is read from the runner.
"""

from typing import Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from contracts.errors import FsdpAgentError
from contracts.request import Language
from contracts.run import TERMINAL_STATES, RunRecord
from contracts.settings import Settings
from engines.reporting.outcome import state_word
from engines.reporting.phrases import phrase
from nodes.conversation import has_new_input
from nodes.setting import home_of, tell
from runners import Backends


class Reads(TypedDict, total=False):
    """The run, and what came in while it ran."""

    run_id: str
    need: dict[str, Any]
    request: dict[str, Any] | None
    messages: list[AnyMessage]


class Writes(TypedDict, total=False):
    """The run as the runner tells it."""

    run: dict[str, Any]
    diagnosis: None
    phase: str
    error: dict[str, Any] | None
    request: None
    messages: list[AnyMessage]


def watch(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Return the run's end, or wait; a message meanwhile is answered with how far it is."""
    runner = Backends(home_of(runtime))
    try:
        record = runner.status(state["run_id"])
        if record.state not in TERMINAL_STATES:
            tell(runtime, "running", _progress(record, state["need"]["language"]))
            if has_new_input(state):
                text = _progress(record, state["need"]["language"])
                return _seen(record, state["need"]["language"]) | Writes(request=None, messages=[AIMessage(text)])
            interrupt({"kind": "job", "run_id": record.run_id, "state": record.state})
            record = runner.status(state["run_id"])
    except FsdpAgentError as error:
        return Writes(phase="failed", error=error.as_json()["error"])
    return _seen(record, state["need"]["language"])


def _seen(record: RunRecord, language: Language) -> Writes:
    seen = Writes(run=record.model_dump(mode="json"), error=None)
    if record.state not in TERMINAL_STATES:
        return seen | Writes(phase="running")
    if record.state == "done":
        return seen | Writes(phase="done", diagnosis=None)
    told = {"run_id": record.run_id, "state": state_word(record.state, language)}
    message = phrase("run_over", language, reason=record.reason or phrase("no_reason", language), **told)
    error = {"code": f"run_{record.state}", "message": message}
    return seen | Writes(phase="failed", error=error)


def _progress(record: RunRecord, language: Language) -> str:
    state = state_word(record.state, language)
    if record.steps is None and not record.step:
        return phrase("running_script", language, run_id=record.run_id, state=state)
    loss = "?" if record.loss is None else f"{record.loss:.4f}"
    steps = "?" if record.steps is None else record.steps
    progress = phrase("progress", language, step=record.step or 0, steps=steps, loss=loss)
    return phrase("running", language, run_id=record.run_id, state=state, progress=progress)
