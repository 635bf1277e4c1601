"""From an approver's answer in human-in-the-loop form to a sealed Grant for one launch."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from contracts.canonical import seal
from contracts.grant import Grant

_FORM = (
    'answer {"decisions": [{"type": "approve", "launch_hash": "..."}]} '
    'or {"decisions": [{"type": "reject", "launch_hash": "...", "message": "why"}]}'
)

Asked = Callable[[], Mapping[str, str]]
"""Returns the launch hash of each pending approval of a thread, by the id of its interrupt."""


def granted_resume(resume: Any, *, thread_id: str, approver: str, key: bytes, asked: Asked) -> Any:
    """Return a resume value with every decision in it replaced by a sealed Grant.

    Called only for a caller who was authenticated as an approver. What holds no decision
    is returned as it is. A decision is about the launch that it names, or about the one
    that the interrupt asks about that it is addressed to. One that does neither would be
    about whatever the thread has come to ask in the meantime, and anybody can make a
    thread ask something else.

    Args:
        resume: A human-in-the-loop answer, a map of interrupt ids to such, or anything else.
        thread_id: The thread that is resumed.
        approver: Who answers.
        key: The approver's secret.
        asked: Called where a decision names no launch.

    Raises:
        ValueError: A decision is neither approve nor reject, there is not exactly one, or
            it does not tell which launch it is about.
    """

    def sealed(answer: dict[str, Any], interrupt_id: str | None) -> dict[str, Any]:
        grant = _grant(answer["decisions"], thread_id, approver, interrupt_id, asked)
        record = grant.model_dump(mode="json")
        return {"grant": record | {"mac": seal(record, key)}}

    if not isinstance(resume, dict):
        return resume
    if "decisions" in resume:
        return sealed(resume, None)
    return {
        name: sealed(answer, name) if isinstance(answer, dict) and "decisions" in answer else answer
        for name, answer in resume.items()
    }


def _grant(decisions: Any, thread_id: str, approver: str, interrupt_id: str | None, asked: Asked) -> Grant:
    if not isinstance(decisions, list) or len(decisions) != 1 or not isinstance(decisions[0], dict):
        raise ValueError(f"one launch takes one decision: {_FORM}")
    said = decisions[0]
    launch_hash = said.get("launch_hash") or (asked().get(interrupt_id) if interrupt_id else None)
    if not launch_hash:
        where = f"interrupt {interrupt_id[:40]!r} is not pending" if interrupt_id else "the decision names none"
        raise ValueError(f"name the launch ({where}): {_FORM}")
    try:
        return Grant(
            thread_id=thread_id,
            decision=said.get("type"),
            approver=approver,
            granted_at=time.time(),
            launch_hash=launch_hash,
            reason=said.get("message") or "",
        )
    except ValidationError:
        raise ValueError(f"a launch is approved or rejected, not edited: {_FORM}") from None
