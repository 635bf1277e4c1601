import errno
import json
import os
import signal

import fsdp_sft_rundir
import pytest
from fsdp_sft_rundir import RunDir, StopSignals

from contracts.event import Event


def events(root):
    return [Event.model_validate_json(line) for line in (root / "events.jsonl").read_text().splitlines()]


def test_events_are_lines_of_the_contract(tmp_path):
    run = RunDir(tmp_path, rank=0, attempt=3)
    run.event("step", 7, loss=1.5, grad_norm=0.1, lr=1e-3, tokens_per_s=10.0, memory_gib=0.5)
    run.warn("some_code", "some words", 8)
    step, warning = events(tmp_path)
    assert (step.kind, step.step, step.attempt, step.loss, step.lr) == ("step", 7, 3, 1.5, 1e-3)
    assert (warning.kind, warning.data) == ("warning", {"code": "some_code", "message": "some words"})


def test_a_loss_that_is_no_number_is_null(tmp_path):
    RunDir(tmp_path, 0, 1).event("step", 1, loss=float("nan"), grad_norm=float("inf"))
    (event,) = events(tmp_path)
    assert (event.loss, event.grad_norm) == (None, None)


def test_only_rank_0_writes_events_and_the_result(tmp_path):
    run = RunDir(tmp_path, 1, 1)
    run.event("step", 1, loss=1.0)
    run.result("done", 1, 1.0, None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ckpt", "hb"]


def test_a_line_torn_by_a_kill_does_not_swallow_the_next(tmp_path):
    (tmp_path / "events.jsonl").write_text('{"kind": "step", "ti')
    RunDir(tmp_path, 0, 2).event("boot")
    lines = (tmp_path / "events.jsonl").read_text().splitlines()
    assert lines[0] == '{"kind": "step", "ti'
    assert Event.model_validate_json(lines[1]).kind == "boot"


def test_whole_lines_stay_as_they_are(tmp_path):
    RunDir(tmp_path, 0, 1).event("boot")
    before = (tmp_path / "events.jsonl").read_bytes()
    RunDir(tmp_path, 0, 2)
    assert (tmp_path / "events.jsonl").read_bytes() == before


def test_heartbeats_name_step_and_phase_of_each_rank(tmp_path):
    run = RunDir(tmp_path, 1, 1)
    with run.phase("boot", 0):
        assert json.loads((tmp_path / "hb" / "1.json").read_text())["phase"] == "boot"
        with run.phase("checkpoint", 5):
            beat = json.loads((tmp_path / "hb" / "1.json").read_text())
    assert (beat["step"], beat["phase"]) == (5, "checkpoint")
    assert abs(beat["time"] - (tmp_path / "hb" / "1.json").stat().st_mtime) < 60


def test_result_of_an_earlier_attempt_is_gone_at_the_start_of_the_next(tmp_path):
    RunDir(tmp_path, 0, 1).result("stopped", 4, float("nan"), None)
    stopped = {"status": "stopped", "steps": 4, "loss": None, "export": None}
    assert json.loads((tmp_path / "result.json").read_text()) == stopped
    RunDir(tmp_path, 0, 2)
    assert not (tmp_path / "result.json").exists()


def test_stop_file_asks_to_stop(tmp_path):
    run = RunDir(tmp_path, 0, 1)
    assert run.stop_reason() is None
    (tmp_path / "cmd").mkdir()
    (tmp_path / "cmd" / "stop").touch()
    assert run.stop_reason() == "cmd/stop"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP])
def test_signals_ask_to_stop_and_kill_nothing(tmp_path, number):
    every = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
    before = {each: signal.getsignal(each) for each in every}
    try:
        signals = StopSignals()
        signals.install()
        run = RunDir(tmp_path, 0, 1, signals)
        os.kill(os.getpid(), number)
        assert run.stop_reason() == number.name
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def test_a_full_disk_costs_the_report_and_not_the_job(tmp_path, monkeypatch):
    rundir = RunDir(tmp_path, 0, 1)
    rundir.heartbeat(1)
    (tmp_path / "events.jsonl").symlink_to("/dev/full")  # every write to it fails: no space left
    rundir.event("step", 2)

    def full(*_args, **_more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fsdp_sft_rundir, "write_json", full)
    rundir.heartbeat(12345)
    assert json.loads((tmp_path / "hb" / "0.json").read_text())["step"] == 12345


def test_a_report_that_fails_otherwise_is_no_secret(tmp_path):
    rundir = RunDir(tmp_path, 0, 1)
    (tmp_path / "events.jsonl").mkdir()
    with pytest.raises(IsADirectoryError):
        rundir.event("step", 2)
