"""research: answer a question from cited cards, or say that it is not covered."""

from typing import Any, TypedDict

from contracts.errors import FsdpAgentError
from engines.answers.ask import answer_question
from nodes.language_model import word_if_configured


class Reads(TypedDict, total=False):
    """The question."""

    asked: dict[str, Any]


class Writes(TypedDict, total=False):
    """The Answer."""

    answer: dict[str, Any]
    phase: str
    error: dict[str, Any] | None


def research(state: Reads) -> Writes:
    """Look the question up; nothing is said that no card says, whoever words it."""
    asked = state["asked"]
    try:
        answer = word_if_configured(asked.get("text", ""), answer_question(asked.get("text", ""), asked.get("torch")))
    except FsdpAgentError as error:
        return Writes(phase="failed", error=error.as_json()["error"])
    return Writes(answer=answer.model_dump(mode="json"), phase="done")
