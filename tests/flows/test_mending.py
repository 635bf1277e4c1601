"""Closing the loop: a run of ours that failed goes on by itself up to the approval of a changed launch.

The jobs here fail within a second, without torch; real ones stand in test_mending_train.py.
"""

from pathlib import Path
from typing import Any

import pytest

from runners import LocalRunner
from tests.flows.mending_scripts import LOADING, LOADING_THEN_MEMORY, NEVER_ENOUGH, NOBODY_KNOWS, request_of


def launched(thread: Any, bench: Any, *, decision: str = "approve") -> str:
    """Decide on what waits, let it run to its end, and return the run's state."""
    thread.answer(bench.decision(thread.question["launch_hash"], decision))
    if thread.state["phase"] != "running":
        return str(thread.state["phase"])
    record = bench.wait(thread.state["run_id"])
    thread.answer({})
    return str(record.state)


@pytest.fixture
def failed(thread: Any, bench: Any) -> Any:
    """A thread whose script failed of its loader's workers; the changed launch waits."""
    thread.give(request=request_of(bench.folder, LOADING))
    assert thread.state["phase"] == "awaiting_approval", thread.state.get("error")
    assert launched(thread, bench) == "failed"
    return thread


def test_one_approval_later_the_run_is_done_and_the_report_says_that_the_fix_held(failed: Any, bench: Any) -> None:
    first = failed.state["amendments"][0]["after_run"]
    assert failed.state["phase"] == "awaiting_approval"
    assert launched(failed, bench) == "done"
    assert (failed.state["phase"], failed.state["diagnosis"]) == ("done", None)
    [told] = failed.state["report"]["rounds"]
    assert (told["cause"], told["outcome"]) == ("dataloader-shm-bus-error", "held")
    assert told["run_id"] == failed.state["run_id"] != first
    assert "the fix held: the run finished" in failed.last_words
    report = Path(failed.state["report"]["path"]).read_text()
    assert "Rounds of mending" in report
    assert "+loader = DataLoader(range(4), num_workers=0)" in report


def test_the_question_says_what_changed_and_why_and_shows_the_diff(failed: Any, bench: Any) -> None:
    question = failed.question
    made = question["amendment"]
    assert (made["round"], made["kind"], made["cause"]) == (1, "script", "dataloader-shm-bus-error")
    assert made["after_run"].startswith("r-")
    description = question["action_requests"][0]["description"]
    assert description.startswith("**Round 1. Run r-")
    assert made["why"] in description
    assert made["costs"] in description
    assert "-loader = DataLoader(range(4), num_workers=2)\n+loader = DataLoader(range(4), num_workers=0)" in description
    assert made["diff"].startswith(f"--- a{bench.folder}/train.py\n+++ b{bench.folder}/train.py\n")
    said = [str(message.text) for message in failed.state["messages"]]
    assert any("failed of dataloader-shm-bus-error" in text and "a new launch" in text for text in said)


def test_the_users_own_file_is_never_touched_and_a_copy_is_what_is_approved_and_run(failed: Any, bench: Any) -> None:
    own = bench.folder / "train.py"
    assert own.read_text() == LOADING
    copies = {
        Path(e["path"]).name: Path(e["path"]) for e in failed.question["launch"]["inputs"] if e["role"] == "patched"
    }
    assert sorted(copies) == ["data.py", "train.py"]
    assert all(path.is_relative_to(bench.home.plans) for path in copies.values())
    assert "num_workers=0" in copies["train.py"].read_text()
    assert str(copies["train.py"]) in failed.question["launch"]["argv"]
    own.write_text("raise SystemExit('edited while a person thinks')\n")
    assert launched(failed, bench) == "done"
    logs = LocalRunner(bench.home).logs(failed.state["run_id"])
    assert "step 3" in logs


def test_a_copy_that_changed_after_it_was_shown_is_not_run(failed: Any, bench: Any) -> None:
    copy = next(Path(e["path"]) for e in failed.question["launch"]["inputs"] if e["path"].endswith("patched/train.py"))
    copy.chmod(0o644)
    copy.write_text(copy.read_text().replace("step", "ztep"))
    failed.answer(bench.decision(failed.question["launch_hash"]))
    assert failed.state["phase"] == "failed"
    assert failed.state["error"]["code"] == "content_changed"
    assert "patched/train.py has other bytes" in failed.state["error"]["message"]
    assert failed.state.get("run_id") is None
    assert len(list(LocalRunner(bench.home).runs())) == 1


def test_an_approval_of_the_first_launch_is_none_of_the_changed_one(failed: Any, bench: Any) -> None:
    first = LocalRunner(bench.home).status(failed.state["amendments"][0]["after_run"]).launch_hash
    failed.answer(bench.decision(first))
    assert failed.state["phase"] == "awaiting_approval"
    assert "this decision is about launch" in failed.state["notice"]
    assert len(list(LocalRunner(bench.home).runs())) == 1


def test_a_rejection_leaves_declined_and_starts_nothing(failed: Any, bench: Any) -> None:
    assert launched(failed, bench, decision="reject") == "declined"
    assert failed.state["phase"] == "declined"
    assert len(list(LocalRunner(bench.home).runs())) == 1
    [told] = failed.state["report"]["rounds"]
    assert (told["outcome"], told["run_id"]) == (None, None)


def test_another_cause_after_a_fix_is_the_next_problem_and_both_changes_are_kept(thread: Any, bench: Any) -> None:
    thread.give(request=request_of(bench.folder, LOADING_THEN_MEMORY, "--batch-size=64"))
    assert launched(thread, bench) == "failed"
    assert thread.state["amendments"][-1]["cause"] == "dataloader-shm-bus-error"
    assert launched(thread, bench) == "failed"
    first, second = thread.state["amendments"]
    assert (first["outcome"], second["round"], second["kind"]) == ("next_problem", 2, "launch")
    assert second["settings"] == {"script.args": ["--batch-size=8"]}
    assert "num_workers=0" in second["diff"], "the change of the first round is still in it"
    assert launched(thread, bench) == "done"
    assert [told["outcome"] for told in thread.state["report"]["rounds"]] == ["next_problem", "held"]
    assert "step 3 --batch-size=8" in LocalRunner(bench.home).logs(thread.state["run_id"])


def test_three_rounds_are_the_most_and_no_fix_comes_twice(thread: Any, bench: Any) -> None:
    thread.give(request=request_of(bench.folder, NEVER_ENOUGH, "--batch-size=256"))
    hashes = []
    while thread.state["phase"] == "awaiting_approval":
        hashes.append(thread.question["launch_hash"])
        assert launched(thread, bench) == "failed"
    assert len(hashes) == len(set(hashes)) == 4  # the first launch, and three rounds
    rounds = thread.state["amendments"]
    assert [told["settings"]["script.args"] for told in rounds] == [
        ["--batch-size=32"],
        ["--batch-size=4"],
        ["--batch-size=1"],
    ]
    assert [told["outcome"] for told in rounds] == ["not_held"] * 3
    assert thread.state["phase"] == "failed"
    assert thread.state["error"]["code"] == "run_failed"
    assert thread.state["error"]["hint"].startswith("3 rounds were made, which is the most")
    assert "the fix did not hold: it failed of the same cause again" in thread.last_words


def test_a_run_whose_cause_is_not_known_stops_and_asks(thread: Any, bench: Any) -> None:
    thread.give(request=request_of(bench.folder, NOBODY_KNOWS))
    assert launched(thread, bench) == "failed"
    assert (thread.state["phase"], thread.state["amendments"]) == ("failed", [])
    assert thread.pending == []
    hint = thread.state["error"]["hint"]
    assert "collect:" in hint or "By hand:" in hint
    assert hint in thread.last_words


def test_a_file_that_the_user_changes_meanwhile_is_left_to_the_user(thread: Any, bench: Any) -> None:
    thread.give(request=request_of(bench.folder, LOADING))
    thread.answer(bench.decision(thread.question["launch_hash"]))
    bench.wait(thread.state["run_id"])
    (bench.folder / "train.py").write_text(LOADING + "# a thought of mine\n")
    thread.answer({})
    assert (thread.state["phase"], thread.state["amendments"]) == ("failed", [])
    assert (bench.folder / "train.py").read_text().endswith("# a thought of mine\n")


def test_a_new_request_on_the_thread_begins_its_rounds_anew(failed: Any, bench: Any) -> None:
    assert launched(failed, bench) == "done"
    failed.give(request=request_of(bench.folder, NOBODY_KNOWS))
    assert failed.state["amendments"] == []
    assert failed.question["amendment"] is None
