"""How following ends: the exit codes that programs wait for, and what a person is told to do next."""

from pathlib import Path

import pytest

from contracts.run import RunRecord
from interfaces.cli.following import finish
from interfaces.cli.output import Output
from interfaces.results_jobs import Followed


def _followed(state: str, **more: object) -> Followed:
    facts = {"run_id": "r-0123456789ab", "key": "k", "launch_hash": "c" * 64, "kind": "train", "state": state}
    record = RunRecord.model_validate(facts | {"run_dir": "/x", "attempt": 1, "created_at": 1.0})
    return Followed.model_validate({"run": record, **more})


@pytest.mark.parametrize(
    ("state", "code"),
    [("done", 0), ("running", 0), ("queued", 0), ("failed", 1), ("cancelled", 1), ("lost", 1), ("refused", 5)],
)
def test_the_exit_code_follows_from_the_run(state: str, code: int) -> None:
    assert finish(Output(as_json=False), _followed(state), None) == code


def test_a_new_launch_that_waits_is_4_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    waiting = _followed("failed", phase="awaiting_approval", launch_hash="d" * 64, report="/r/report.md")
    assert finish(Output(as_json=False), waiting, Path("/my home")) == 4
    said = capsys.readouterr().out
    assert f"fsdp-agent approve {'d' * 64} --home '/my home'" in said
    assert "report: /r/report.md" in said


def test_json_is_one_object_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert finish(Output(as_json=True), _followed("done", cursor=7), None) == 0
    told = capsys.readouterr()
    assert told.out.count("\n") == 1
    assert '"cursor": 7' in told.out
    assert told.err == ""
