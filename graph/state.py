"""State: what a thread remembers, as plain JSON data.

Contracts enter and leave as dictionaries (`model_dump(mode="json")`), so that a
checkpoint can be read by every later version and under strict msgpack. A key is
never renamed after a release.
"""

from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # typing's own gives no JSON Schema before Python 3.12

Phase = Literal[
    "assessing",
    "needs_input",
    "answering",
    "planning",
    "reviewing",
    "awaiting_approval",
    "running",
    "done",
    "failed",
    "declined",
    "not_advised",
]
"""Where a thread stands. declined: a person refused; not_advised: out of scope, wait
or not needed."""

Json = dict[str, Any]

# The docstring under each key becomes its description in the schemas that clients read.
_described = with_config(ConfigDict(use_attribute_docstrings=True))


@_described
class Input(TypedDict, total=False):
    """What a caller gives: a structured request, a chat message, or both."""

    request: Json | None
    """A Request; unknown keys are refused. Taken away when it has been read."""
    messages: Annotated[list[AnyMessage], add_messages]
    """Chat messages; the last human one is read as free text."""


@_described
class Output(TypedDict, total=False):
    """What a caller gets."""

    phase: Phase
    """Where the thread stands."""
    need: Json | None
    """The Need: verdict and reasons."""
    plan: Json | None
    """The Plan."""
    trials: Json | None
    """The Trials: what is or was tried of the plan, and what was measured."""
    findings: list[Json]
    """Findings of the review."""
    diagnosis: Json | None
    """The Diagnosis."""
    amendments: list[Json]
    """Changes after runs that failed, one for each round, with what came of them."""
    answer: Json | None
    """The Answer."""
    study: Json | None
    """The Study: a question that took several configurations to answer."""
    launch_hash: str | None
    """Hash of the LaunchRequest that waits for approval or was decided on."""
    run_id: str | None
    """The run."""
    run: Json | None
    """The RunRecord as last seen."""
    report: Json | None
    """The Report."""
    error: Json | None
    """What went wrong: code, message, hint."""
    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation."""


@_described
class State(Input, Output, total=False):
    """All that the nodes share."""

    asked: Json | None
    """The Request as understood; fields that were not given are absent."""
    asked_at: float | None
    """When the launch was put forward for approval, in seconds since the epoch."""
    notice: str
    """Why the last answer decided nothing; empty where it did."""
    approval: Json | None
    """The Approval record of the current launch."""
    amendment: Json | None
    """The change that is being planned after a run that failed."""
    rounds: int
    """Launches of this thread for the current request so far."""
