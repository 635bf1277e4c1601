"""A person approves what runs, and what was approved is exactly what runs."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Command

from contracts.canonical import content_hash, seal
from contracts.launch import LaunchRequest
from runners import LocalRunner


def awaiting(thread: Any, bench: Any) -> str:
    """Bring a thread to its approval interrupt and return the hash of the launch."""
    thread.give(request=bench.request)
    assert thread.state["phase"] == "awaiting_approval"
    return thread.question["launch_hash"]


def test_the_question_is_the_launch_itself(thread: Any, bench: Any) -> None:
    launch_hash = awaiting(thread, bench)
    question = thread.question
    assert question["kind"] == "approval"
    launch = LaunchRequest.model_validate(question["launch"])
    assert launch.launch_hash == launch_hash == content_hash(question["launch"]) == thread.state["launch_hash"]
    assert launch.interpreter == bench.request["interpreter"]
    roles = {entry.role for entry in launch.inputs}
    assert roles == {"interpreter", "script", "config", "data_manifest", "data", "model"}
    [action] = question["action_requests"]
    assert action["name"] == "launch"
    assert launch_hash in action["description"]
    assert question["review_configs"] == [{"action_name": "launch", "allowed_decisions": ["approve", "reject"]}]
    assert bench.starts == []


def test_an_approved_launch_runs_and_is_reported(thread: Any, bench: Any) -> None:
    launch_hash = awaiting(thread, bench)
    thread.answer(bench.decision(launch_hash))
    assert thread.state["phase"] == "running"
    assert thread.question["kind"] == "job"
    run_id = thread.question["run_id"]
    assert bench.wait(run_id).state == "done"
    out = thread.answer({"state": "done"})
    assert out["phase"] == "done"
    assert thread.pending == []
    assert out["run"]["state"] == "done"
    # 8/1 and 8/4 are what the job wrote for its first and last step
    assert (out["report"]["loss_first"], out["report"]["loss_last"]) == (8.0, 2.0)
    text = Path(out["report"]["path"]).read_text()
    assert launch_hash in text
    assert "ada" in text
    pictures = [Path(name) for name in out["report"]["pictures"]]
    assert [picture.name for picture in pictures] == ["loss.png", "memory.png"]
    assert all(picture.read_bytes().startswith(b"\x89PNG\r\n") for picture in pictures)
    page = Path(out["report"]["path"]).with_name("report.html").read_text()
    assert launch_hash in page
    assert page.count("data:image/png;base64,") == len(pictures)
    assert bench.starts == [run_id]


def test_a_stream_of_custom_events_tells_what_the_nodes_are_about(bench: Any, thread: Any) -> None:
    given = {"request": bench.request}
    events = list(thread.graph.stream(given, thread.config, context=thread.context, stream_mode="custom"))
    assert [event["stage"] for event in events] == ["sizing", "hashing"]
    assert all(event["type"] == "progress" and event["text"] for event in events)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        "approve",
        True,
        {"type": "approve"},
        {"decisions": [{"type": "approve"}]},
        {"grant": {"thread_id": "t-1", "decision": "approve", "approver": "eve", "granted_at": 9e9, "mac": "0" * 64}},
        {"grant": None},
        {"decision": "approve"},
    ],
    ids=json.dumps,
)
def test_whatever_is_no_sealed_decision_starts_nothing(thread: Any, bench: Any, answer: Any) -> None:
    awaiting(thread, bench)
    before = thread.pending[0].id
    thread.answer(answer)
    assert thread.state["phase"] == "awaiting_approval"
    assert thread.question["kind"] == "approval"
    assert thread.state.get("approval") is None
    assert thread.question["notice"]
    assert thread.pending[0].id != before
    assert list(LocalRunner(bench.home).runs()) == []


def test_an_empty_resume_does_not_reach_the_node(thread: Any, bench: Any) -> None:
    awaiting(thread, bench)
    before = thread.pending[0].id
    thread.graph.invoke(Command(resume={}), thread.config, context=thread.context)
    assert [pending.id for pending in thread.pending] == [before]
    assert thread.state["phase"] == "awaiting_approval"


def test_forged_foreign_and_moved_decisions_are_refused(thread: Any, bench: Any) -> None:
    launch_hash = awaiting(thread, bench)
    genuine = bench.decision(launch_hash)
    for answer in (
        bench.decision(launch_hash, key=b"\1" * 32),
        genuine | {"approver": "eve"},
        genuine | {"mac": ""},
        bench.decision(launch_hash, "reject") | {"decision": "approve"},
        bench.decision("0" * 64),
        bench.decision(launch_hash, thread_id="t-2"),
        bench.decision(launch_hash, thread_id=""),
    ):
        thread.answer(answer)
        assert thread.state["phase"] == "awaiting_approval", answer
        assert thread.question["notice"]
    assert list(LocalRunner(bench.home).runs()) == []
    thread.answer(genuine)
    assert thread.state["phase"] == "running"
    assert thread.state["notice"] == ""


def test_an_old_answer_is_never_judged_again(thread: Any, bench: Any) -> None:
    launch_hash = awaiting(thread, bench)
    thread.answer({"decisions": [{"type": "approve"}]})
    thread.answer(bench.decision(launch_hash, "reject"))
    assert thread.state["phase"] == "declined"
    assert bench.starts == []


def test_a_doors_grant_is_taken_when_it_is_younger_than_the_question(thread: Any, bench: Any) -> None:
    launch_hash = awaiting(thread, bench)

    def grant(**changed: Any) -> dict[str, Any]:
        record = {
            "thread_id": "t-1",
            "decision": "approve",
            "approver": "approver",
            "granted_at": time.time(),
            "launch_hash": launch_hash,
            "reason": "",
            **changed,
        }
        return {"grant": record | {"mac": seal(record, bench.home.secret("approve"))}}

    asked_at = thread.state["asked_at"]
    others = (grant(launch_hash="0" * 64), grant(launch_hash=""))
    for refused in (grant(granted_at=asked_at - 1), grant(thread_id="t-2"), *others):
        thread.answer(refused)
        assert thread.state["phase"] == "awaiting_approval"
    thread.answer(grant(reason="looks right"))
    assert thread.state["phase"] == "running"
    approval = thread.state["approval"]
    assert (approval["via"], approval["approver"], approval["reason"]) == ("server", "approver", "looks right")
    assert approval["launch_hash"] == launch_hash


def test_reject_declines_and_is_recorded(thread: Any, bench: Any) -> None:
    launch_hash = awaiting(thread, bench)
    out = thread.answer(bench.decision(launch_hash, "reject", reason="too long"))
    assert out["phase"] == "declined"
    assert thread.state["approval"]["reason"] == "too long"
    assert "too long" in Path(out["report"]["path"]).read_text()
    assert "ada" in thread.last_words
    assert list(LocalRunner(bench.home).runs()) == []


@pytest.mark.parametrize("role", ["script", "config", "data_manifest", "data", "model"])
def test_one_changed_byte_after_the_question_stops_the_launch(thread: Any, bench: Any, role: str) -> None:
    launch_hash = awaiting(thread, bench)
    entry = next(entry for entry in thread.question["launch"]["inputs"] if entry["role"] == role)
    path = Path(entry["path"])
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(body)
    out = thread.answer(bench.decision(launch_hash))
    assert out["phase"] == "failed"
    assert out["error"]["code"] == "content_changed"
    assert entry["path"] in out["error"]["message"]
    assert list(LocalRunner(bench.home).runs()) == []


def test_the_same_approval_given_twice_starts_one_job(thread: Any, bench: Any) -> None:
    bench.switch("hold")
    launch_hash = awaiting(thread, bench)
    decision = bench.decision(launch_hash)
    [question] = thread.pending
    thread.answer(decision)
    first = thread.state["run_id"]
    # the same command again: its interrupt id is stale by now
    thread.graph.invoke(Command(resume={question.id: decision}), thread.config, context=thread.context)
    assert thread.state["phase"] == "running"
    # a node that runs a second time, as after a kill between the submit and its checkpoint
    past = next(snapshot for snapshot in thread.graph.get_state_history(thread.config) if snapshot.next == ("execute",))
    thread.graph.invoke(None, past.config, context=thread.context)
    assert thread.state["run_id"] == first
    bench.switch("hold", False)
    bench.wait(first)
    assert bench.starts == [first]
    assert [record.run_id for record in LocalRunner(bench.home).runs()] == [first]


def test_a_copied_thread_does_not_take_the_decision_along(thread: Any, bench: Any, thread_on: Any) -> None:
    launch_hash = awaiting(thread, bench)
    thread.answer(bench.decision(launch_hash))
    bench.wait(thread.state["run_id"])
    other = thread_on(thread.graph.checkpointer, "t-2")
    copied = {key: thread.state[key] for key in ("asked", "need", "plan", "launch_hash", "approval", "asked_at")}
    other.graph.update_state(other.config, copied | {"phase": "running"}, as_node="approve")
    other.graph.invoke(None, other.config, context=other.context)
    assert other.state["phase"] == "failed"
    assert other.state["error"]["code"] == "approval_missing"
    assert len(bench.starts) == 1
