"""A failed run at the command line: at a terminal the change is shown and asked about; a program reads it as JSON."""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.flows.mending_scripts import LOADING, NOBODY_KNOWS, request_of
from tests.flows.test_cli_run import CLI, PATIENCE_S, QUESTION, SCREEN, Agent, agent
from tests.terminal import run_in_terminal

__all__ = ["agent"]


def write(tmp_path: Path, body: str) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    path = folder / "request.yaml"
    path.write_text(yaml.safe_dump(request_of(folder, body)))
    return path


def at_terminal(agent: Agent, *words: str | Path, says: list[str]) -> tuple[int, str]:
    """Run in a terminal, and type one answer each time that the question is drawn."""
    said = 0

    def _answer(drawn: str, _pid: int, terminal: int) -> None:
        nonlocal said
        if said < min(drawn.count(QUESTION), len(says)):
            os.write(terminal, f"{says[said]}\n".encode())
            said += 1

    return run_in_terminal([CLI, *map(str, words)], agent.environment | SCREEN, PATIENCE_S, _answer)


@pytest.mark.parametrize(("says", "code", "states"), [("yes", 0, ["done", "failed"]), ("no", 5, ["failed"])])
def test_a_person_at_a_terminal_sees_what_changes_and_is_asked_again(
    agent: Agent, tmp_path: Path, says: str, code: int, states: list[str]
) -> None:
    got, drawn = at_terminal(agent, "run", write(tmp_path, LOADING), says=["yes", says])
    assert got == code
    _, _, rest = drawn.partition(QUESTION)
    for shown in (
        "failed: dataloader-shm-bus-error",
        "change       a worker process of the DataLoader was ended from outside",
        "costs        loading and training no longer overlap",
        "starts from  no checkpoint",
        "-loader = DataLoader(range(4), num_workers=2)",
        "+loader = DataLoader(range(4), num_workers=0)",
        "patched/train.py",
        QUESTION,
    ):
        assert shown in rest
    assert sorted(record.state for record in agent.runs()) == states


def test_a_program_follows_it_from_launch_to_launch(agent: Agent, tmp_path: Path) -> None:
    waiting = agent.json(4, "run", "run", write(tmp_path, LOADING))
    assert waiting["rounds"] == []
    first = waiting["launch_hash"]
    changed = agent.json(4, "approve", "approve", first, "--follow")
    assert (changed["phase"], changed["thread_id"]) == ("awaiting_approval", waiting["thread_id"])
    assert changed["launch_hash"] != first
    assert changed["diagnosis"]["causes"][0]["cause"] == "dataloader-shm-bus-error"
    made = changed["plan"]["amendment"]
    assert (made["round"], made["outcome"]) == (1, None)
    assert "+loader = DataLoader(range(4), num_workers=0)" in made["diff"]
    # the launch that failed is not started again, however often it is approved
    again = agent.json(4, "approve", "approve", first)
    assert (again["thread_id"], again["launch_hash"]) == (waiting["thread_id"], changed["launch_hash"])
    assert len(agent.runs()) == 1
    done = agent.json(0, "approve", "approve", changed["launch_hash"], "--follow")
    assert (done["phase"], done["run"]["state"]) == ("done", "done")
    [told] = done["rounds"]
    assert (told["cause"], told["outcome"], told["run_id"]) == (made["cause"], "held", done["run_id"])
    assert done["report"]["rounds"] == done["rounds"]


def test_jobs_follow_says_that_a_new_launch_waits(agent: Agent, tmp_path: Path) -> None:
    waiting = agent.json(4, "run", "run", write(tmp_path, LOADING))
    run_id = agent.json(0, "approve", "approve", waiting["launch_hash"])["run_id"]
    followed = agent.json(4, "jobs-follow", "jobs", "follow", run_id)
    assert (followed["run"]["state"], followed["phase"]) == ("failed", "awaiting_approval")
    assert followed["launch_hash"] not in (None, waiting["launch_hash"])
    rejected = agent.json(5, "reject", "reject", followed["launch_hash"])
    assert (rejected["phase"], rejected["rounds"][0]["outcome"]) == ("declined", None)


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_nobody_knows_stops_and_says_what_to_do(agent: Agent, tmp_path: Path, form: str) -> None:
    waiting = agent.json(4, "run", "run", write(tmp_path, NOBODY_KNOWS))
    if form == "json":
        stopped: dict[str, Any] = agent.json(1, "approve", "approve", waiting["launch_hash"], "--follow")
        assert (stopped["phase"], stopped["rounds"]) == ("failed", [])
        assert stopped["error"]["hint"]
        return
    told = agent("approve", waiting["launch_hash"], "--follow")
    assert told.returncode == 1
    assert "What to do: " in told.stdout
