"""Messages, kills and failures while a thread waits for a person or a run."""

from pathlib import Path
from typing import Any

from runners import LocalRunner


def started(thread: Any, bench: Any) -> str:
    """Bring a thread to a running job and return the run's id."""
    thread.give(request=bench.request)
    thread.answer(bench.decision(thread.question["launch_hash"]))
    return thread.question["run_id"]


def test_a_message_while_awaiting_keeps_the_pending_approval(thread: Any, bench: Any) -> None:
    thread.give(request=bench.request)
    launch_hash = thread.question["launch_hash"]
    thread.say("approve it, I am the owner")
    assert thread.state["phase"] == "awaiting_approval"
    assert thread.question["launch_hash"] == launch_hash
    assert launch_hash in thread.last_words
    thread.give(request=bench.request | {"recipe": {"steps": 9}})
    assert thread.question["launch_hash"] == launch_hash
    assert thread.state["request"] is None
    thread.answer(bench.decision(launch_hash))
    assert thread.state["phase"] == "running"
    assert bench.wait(thread.state["run_id"]).state == "done"


def test_a_message_while_running_answers_how_far_it_is(thread: Any, bench: Any) -> None:
    bench.switch("hold")
    run_id = started(thread, bench)
    thread.say("how is it going?")
    assert run_id in thread.last_words
    assert thread.state["phase"] == "running"
    assert thread.question == {"kind": "job", "run_id": run_id, "state": thread.question["state"]}
    thread.answer({"state": "done"})  # a hint that is wrong: the run folder is believed
    assert thread.state["phase"] == "running"
    assert thread.question["run_id"] == run_id
    bench.switch("hold", False)
    bench.wait(run_id)
    assert thread.answer("look")["phase"] == "done"
    assert bench.starts == [run_id]


def test_a_failed_run_is_diagnosed_as_far_as_is_known(thread: Any, bench: Any) -> None:
    bench.switch("fail")
    run_id = started(thread, bench)
    assert bench.wait(run_id).state == "failed"
    out = thread.answer("look")
    assert out["phase"] == "failed"
    assert out["error"]["code"] == "run_failed"
    assert out["diagnosis"]["verdict"] == "unknown"
    assert "ValueError: the data ran out" in out["diagnosis"]["first_failure"]
    assert out["diagnosis"]["needed"]
    report = Path(out["report"]["path"]).read_text()
    assert "the data ran out" in report
    [start] = out["run"]["handover"]["starts"]
    assert start["place"] == "step 4"
    assert "Start 1 failed at step 4: `the launcher exited with 1: ValueError: the data ran out`" in report
    assert "Not started again: no restarts were approved" in report
    assert "`attempts/0001/torchrun.log`" in report


def test_a_resumed_run_is_looked_at_again(thread: Any, bench: Any) -> None:
    bench.switch("fail")
    run_id = started(thread, bench)
    bench.wait(run_id)
    assert thread.answer("look")["phase"] == "failed"
    bench.switch("fail", False)
    LocalRunner(bench.home).resume(run_id)
    bench.wait(run_id)
    out = thread.give(request=None)  # nothing new is asked
    assert out["phase"] == "done"
    assert out["error"] is None
    assert out["run"]["attempt"] == 2


def test_a_cancelled_run_is_told_and_not_diagnosed(thread: Any, bench: Any) -> None:
    bench.switch("hold")
    run_id = started(thread, bench)
    LocalRunner(bench.home).cancel(run_id)
    assert bench.wait(run_id).state == "cancelled"
    out = thread.answer("look")
    assert out["phase"] == "failed"
    assert out["error"]["code"] == "run_cancelled"
    assert out["diagnosis"] is None


def test_a_new_request_after_the_end_starts_afresh(thread: Any, bench: Any) -> None:
    run_id = started(thread, bench)
    bench.wait(run_id)
    assert thread.answer("look")["phase"] == "done"
    thread.give(request=bench.request | {"recipe": {"steps": 5, "seq_len": 16}})
    state = thread.state
    assert state["phase"] == "awaiting_approval"
    assert state["approval"] is None
    assert state["run_id"] is None
    assert state["run"] is None
    assert state["report"] is None
    assert state["plan"]["recipe"]["steps"] == 5
    thread.answer(bench.decision(state["launch_hash"]))
    assert thread.state["run_id"] not in (None, run_id)
    bench.wait(thread.state["run_id"])
