"""From an approver's answer in human-in-the-loop form to a sealed Grant."""

import time
from typing import Any

from pydantic import ValidationError

from contracts.canonical import seal
from contracts.grant import Grant

_FORM = 'answer {"decisions": [{"type": "approve"}]} or {"decisions": [{"type": "reject", "message": "why"}]}'


def granted_resume(resume: Any, *, thread_id: str, approver: str, key: bytes) -> Any:
    """Return a resume value with every decision in it replaced by a sealed Grant.

    Called only for a caller who was authenticated as an approver. What holds no decision
    is returned as it is.

    Args:
        resume: A human-in-the-loop answer, a map of interrupt ids to such, or anything else.
        thread_id: The thread that is resumed.
        approver: Who answers.
        key: The approver's secret.

    Raises:
        ValueError: A decision is neither approve nor reject, or there is not exactly one.
    """
    if not isinstance(resume, dict):
        return resume
    if "decisions" in resume:
        grant = _grant(resume["decisions"], thread_id, approver)
        record = grant.model_dump(mode="json")
        return {"grant": record | {"mac": seal(record, key)}}
    return {
        name: granted_resume(answer, thread_id=thread_id, approver=approver, key=key)
        if isinstance(answer, dict) and "decisions" in answer
        else answer
        for name, answer in resume.items()
    }


def _grant(decisions: Any, thread_id: str, approver: str) -> Grant:
    if not isinstance(decisions, list) or len(decisions) != 1 or not isinstance(decisions[0], dict):
        raise ValueError(f"one launch takes one decision: {_FORM}")
    said = decisions[0]
    try:
        return Grant(
            thread_id=thread_id,
            decision=said.get("type"),
            approver=approver,
            granted_at=time.time(),
            launch_hash=said.get("launch_hash") or "",
            reason=said.get("message") or "",
        )
    except ValidationError:
        raise ValueError(f"a launch is approved or rejected, not edited: {_FORM}") from None
