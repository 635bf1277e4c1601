"""Only a sealed decision on this very launch, in this thread, after the question, is a decision."""

from typing import Any

import pytest

from contracts.approval import Approval
from contracts.canonical import seal, seal_holds
from contracts.errors import ApprovalForged, ApprovalMissing
from engines.approval.judge import judge_answer, seal_approval

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
HASH, OTHER_HASH = "a" * 64, "b" * 64


def record(key: bytes = KEY, **changed: Any) -> dict[str, Any]:
    body = {
        "launch_hash": HASH,
        "decision": "approve",
        "approver": "ada",
        "decided_at": "2026-01-02T03:04:05+00:00",
        "via": "cli",
        "reason": "",
        "thread_id": "t-1",
        **changed,
    }
    return body | {"mac": seal(body, key)}


def grant(key: bytes = KEY, **changed: Any) -> dict[str, Any]:
    body = {
        "thread_id": "t-1",
        "decision": "approve",
        "approver": "approver",
        "granted_at": 1_700_000_000.5,
        "launch_hash": HASH,
        "reason": "fine",
        **changed,
    }
    return {"grant": body | {"mac": seal(body, key)}}


def judge(answer: Any) -> Approval:
    return judge_answer(answer, launch_hash=HASH, thread_id="t-1", asked_at=1_700_000_000.0, key=KEY)


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_a_sealed_record_is_taken_as_it_is(decision: str) -> None:
    given = record(decision=decision)
    assert judge(given).model_dump(mode="json") == given


def test_a_grant_becomes_a_record_of_this_launch() -> None:
    made = judge(grant())
    assert (made.launch_hash, made.thread_id, made.via, made.approver) == (HASH, "t-1", "server", "approver")
    # 1_700_000_000 s after the epoch is 2023-11-14 22:13:20 UTC
    assert made.decided_at == "2023-11-14T22:13:20+00:00"
    assert made.reason == "fine"
    assert seal_holds(made.model_dump(mode="json"), KEY)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (None, ApprovalMissing),
        ("approve", ApprovalMissing),
        ([record()], ApprovalMissing),
        ({}, ApprovalMissing),
        ({"decisions": [{"type": "approve"}]}, ApprovalMissing),
        (record() | {"decisions": [{"type": "approve"}]}, ApprovalMissing),
        (record() | {"extra": 1}, ApprovalMissing),
        (record(decision="edit"), ApprovalMissing),
        (record(launch_hash=OTHER_HASH), ApprovalMissing),
        (record(thread_id="t-2"), ApprovalMissing),
        (record(thread_id=""), ApprovalMissing),
        (record(OTHER_KEY), ApprovalForged),
        (record() | {"mac": ""}, ApprovalForged),
        (record() | {"mac": "é"}, ApprovalForged),
        (record(decision="reject") | {"decision": "approve"}, ApprovalForged),
        (record(launch_hash=OTHER_HASH) | {"launch_hash": HASH}, ApprovalForged),
        (grant(OTHER_KEY), ApprovalForged),
        ({"grant": grant()["grant"] | {"thread_id": "t-2"}}, ApprovalForged),
        (grant(thread_id="t-2"), ApprovalMissing),
        (grant(launch_hash=OTHER_HASH), ApprovalMissing),
        (grant(launch_hash=""), ApprovalMissing),
        (grant(granted_at=1_699_999_999.9), ApprovalMissing),
        ({"grant": record()}, ApprovalMissing),
    ],
)
def test_everything_else_is_refused(answer: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        judge(answer)


def test_a_seal_covers_every_field() -> None:
    sealed = seal_approval(Approval.model_validate(record() | {"mac": ""}), KEY).model_dump(mode="json")
    assert seal_holds(sealed, KEY)
    for name in set(sealed) - {"mac"}:
        assert not seal_holds(sealed | {name: "changed"}, KEY), name
