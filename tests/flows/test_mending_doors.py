"""What an approver and a program see of a changed launch at the doors: the reason, the cost, the whole diff."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contracts.settings import Settings
from graph.callers import LOCAL
from graph.roots import Roots
from interfaces.doors.desk import Desk
from interfaces.doors.inputs import StatusInput
from interfaces.doors.jobs import stand, status
from interfaces.doors.small import LIMIT_CHARACTERS, as_text
from interfaces.mcp.asking import _question
from interfaces.results import Thread
from interfaces.service import make_request
from interfaces.service_threads import decide, go_on, start_run
from tests.flows.mending_scripts import LOADING, request_of

HIDDEN = LOADING.replace("num_workers=2)", "num_workers=2)  # \u202e")


@pytest.fixture
def changed(bench: Any) -> Callable[[str], Thread]:
    """Run a script that fails, and return its thread with the changed launch that waits."""

    def _changed(body: str) -> Thread:
        chosen = Settings(home=str(bench.home.root))
        thread = start_run(chosen, make_request(request_of(bench.folder, body)))
        assert thread.launch_hash is not None
        running = decide(chosen, thread.launch_hash, "approve")
        assert running.run_id is not None
        bench.wait(running.run_id)
        waiting = go_on(chosen, thread.thread_id)
        assert waiting is not None
        return waiting

    return _changed


def test_a_program_gets_the_change_with_the_launch_and_the_rounds(bench: Any, changed: Any) -> None:
    thread = changed(LOADING)
    settings = Settings(home=str(bench.home.root))
    result = stand(settings, thread)
    assert len(as_text(result)) <= LIMIT_CHARACTERS
    assert (result["status"], result["launch_hash"]) == ("needs_approval", thread.launch_hash)
    assert thread.launch_hash in result["approve_with"]
    [told] = result["rounds"]
    assert (told["round"], told["cause"]) == (1, "dataloader-shm-bus-error")
    assert result["amendment"]["why"] == told["fix"]
    whole = status(Desk(settings, LOCAL, Roots(())), StatusInput(id=thread.thread_id, part="amendment"))
    assert "+loader = DataLoader(range(4), num_workers=0)" in json.loads(whole["amendment"])["diff"]


def test_the_person_in_front_of_an_mcp_client_reads_all_of_it(bench: Any, changed: Any) -> None:
    thread = changed(HIDDEN)
    desk = Desk(Settings(home=str(bench.home.root)), LOCAL, Roots(()))
    asked = _question(desk, {"thread_id": thread.thread_id, "launch_hash": thread.launch_hash})
    lines = asked.splitlines()
    assert lines[0] == "Start this training job?"
    assert any(line.startswith("failed: r-") and line.endswith("dataloader-shm-bus-error") for line in lines)
    assert 'diff: "+loader = DataLoader(range(4), num_workers=0)  # \\u202e"' in lines
    assert "\u202e" not in asked, "a character that reorders what is read is written out"


def test_a_front_end_that_draws_markdown_shows_no_hidden_character(bench: Any, thread: Any) -> None:
    thread.give(request=request_of(bench.folder, HIDDEN))
    thread.answer(bench.decision(thread.question["launch_hash"]))
    bench.wait(thread.state["run_id"])
    thread.answer({})
    description = thread.question["action_requests"][0]["description"]
    assert "```diff\n" in description
    assert "\\u202e" in description
    assert "\u202e" not in description
    assert Path(bench.folder / "train.py").read_text() == HIDDEN
