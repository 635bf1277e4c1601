"""From the answer of an approval interrupt to a sealed Approval, or to the reason why not."""

from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from contracts.approval import Approval
from contracts.canonical import seal, seal_holds
from contracts.errors import ApprovalForged, ApprovalMissing
from contracts.grant import Grant


def judge_answer(answer: Any, *, launch_hash: str, thread_id: str, asked_at: float, key: bytes) -> Approval:
    """Return the sealed decision that an answer holds.

    Two forms are accepted: a sealed Approval record, and `{"grant": ...}`, which a door
    makes of a human-in-the-loop answer after it has authenticated the approver.

    Args:
        answer: What the interrupt was resumed with; anything.
        launch_hash: Hash of the launch that waits.
        thread_id: Thread that asks.
        asked_at: When it asked, in seconds since the epoch; older grants meant another launch.
        key: The approver's secret.

    Raises:
        ApprovalMissing: The answer is no decision on this launch by an approver.
        ApprovalForged: It looks like one, but its seal was not made with the secret.
    """
    if not isinstance(answer, dict):
        raise ApprovalMissing("the answer is no decision")
    if "decisions" in answer:
        raise ApprovalMissing("only a caller who holds the approver's secret can decide")
    if "grant" in answer:
        return _from_grant(answer["grant"], launch_hash, thread_id, asked_at, key)
    return _from_record(answer, launch_hash, thread_id, key)


def _from_record(answer: dict[str, Any], launch_hash: str, thread_id: str, key: bytes) -> Approval:
    try:
        approval = Approval.model_validate(answer)
    except ValidationError:
        raise ApprovalMissing("the answer is no Approval record") from None
    if not seal_holds(approval.model_dump(mode="json"), key):
        raise ApprovalForged("the seal of this Approval was not made with the approver's secret")
    _check_target(approval.launch_hash, approval.thread_id, launch_hash, thread_id)
    return approval


def _from_grant(answer: Any, launch_hash: str, thread_id: str, asked_at: float, key: bytes) -> Approval:
    try:
        grant = Grant.model_validate(answer)
    except ValidationError:
        raise ApprovalMissing("the answer is no grant") from None
    if not seal_holds(grant.model_dump(mode="json"), key):
        raise ApprovalForged("the seal of this grant was not made with the approver's secret")
    _check_target(grant.launch_hash, grant.thread_id, launch_hash, thread_id)
    if grant.granted_at < asked_at:
        raise ApprovalMissing("this grant is older than the question: it meant another launch")
    return seal_approval(
        Approval(
            launch_hash=launch_hash,
            decision=grant.decision,
            approver=grant.approver,
            decided_at=datetime.fromtimestamp(grant.granted_at, UTC).isoformat(timespec="seconds"),
            via="server",
            reason=grant.reason,
            thread_id=thread_id,
        ),
        key,
    )


def _check_target(decided_hash: str, decided_thread: str, launch_hash: str, thread_id: str) -> None:
    if decided_hash != launch_hash:
        raise ApprovalMissing(f"this decision is about launch {decided_hash[:12]}, not {launch_hash[:12]}")
    if decided_thread != thread_id:
        raise ApprovalMissing(f"this decision was made for thread {decided_thread!r}, not {thread_id!r}")


def seal_approval(approval: Approval, key: bytes) -> Approval:
    """Return the record with its seal."""
    return approval.model_copy(update={"mac": seal(approval.model_dump(mode="json"), key)})
