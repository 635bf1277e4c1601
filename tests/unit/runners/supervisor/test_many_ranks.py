"""A thousand ranks' signs of life: read in bounded time and memory, and the silent one is found among them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from runners.rundir import RunDir
from runners.supervisor.heartbeats import Spent, read_heartbeats
from runners.supervisor.pulse import Pulse
from runners.supervisor.straggling import Bounds, slow_ranks
from tests.bench.many_beats import write_beats

RANKS = 1024
ROOT = Path(__file__).parents[4]
LIMITS = {"boot_s": 600.0, "step_s": 120.0, "checkpoint_s": 600.0, "eval_s": 300.0, "factor": 3.0, "log_s": None}

READ = """
import json, sys, time
from pathlib import Path
from runners.supervisor.heartbeats import Spent, read_heartbeats
from runners.reading import newest_step, read_events

def peak_kib():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])

folder, before, began = Path(sys.argv[1]), peak_kib(), time.process_time()
for _ in range(5):
    beats = read_heartbeats(folder / "hb")
look_s = (time.process_time() - began) / 5
began, cursor, count = time.process_time(), 0, 0
while (page := read_events(folder / "events.jsonl", cursor, 1000)).cursor != cursor:
    cursor, count = page.cursor, count + len(page.events)
print(json.dumps({"ranks": len(beats), "look_s": look_s, "events": count, "events_s": time.process_time() - began,
    "newest": newest_step(folder / "events.jsonl")[0], "grown_kib": peak_kib() - before}))
"""


def test_the_signs_of_a_thousand_ranks_are_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "hb").mkdir()
    write_beats(tmp_path / "hb", RANKS, step=41)
    events = 0
    with open(tmp_path / "events.jsonl", "w") as stream:
        for step in range(1, 42):
            for node in range(RANKS // 8):  # a word of each machine at each step
                line = {"kind": "note", "time": 1.8e9 + step, "attempt": 1, "step": step, "data": {"node": node}}
                stream.write(json.dumps(line) + "\n")
            stream.write(json.dumps({"kind": "step", "time": 1.8e9, "attempt": 1, "step": step, "loss": 2.0}) + "\n")
            events += RANKS // 8 + 1
    done = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path)], capture_output=True, text=True, timeout=280, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["ranks"], found["newest"]) == (RANKS, 41)
    assert found["events"] == events
    # seconds of the CPU, not of the clock; a look costs some 50 ms
    assert found["look_s"] < 2
    assert found["events_s"] < 20
    assert found["grown_kib"] < 64 << 10


def test_the_one_that_is_silent_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    run = RunDir(tmp_path)
    run.heartbeats.mkdir()
    run.attempt(1).path.mkdir(parents=True)
    resources = {"nodes": 128, "ranks_per_node": 8}
    pulse = Pulse(run, 1, {"kind": "train", "resources": resources, "watch": LIMITS})
    hang = None
    for step in range(1, 40):
        write_beats(run.heartbeats, RANKS, step=step, silent=777 if step > 3 else None)
        now += 25.0  # a look at so many is taken every 20 s
        if hang := pulse.look():
            break
    assert hang is not None
    assert (hang.rank, hang.phase, hang.step) == (777, "step", 3)
    assert 120 < hang.silent_s < 600
    assert "rank 777 gave no sign of life" in hang.words


def test_more_ranks_than_any_job_has_are_not_read(tmp_path: Path) -> None:
    """A job is not trusted: files without end would fill the supervisor's memory."""
    for rank in range(16_384 + 50):
        (tmp_path / f"{rank}.json").touch()
    for rank in (0, 16_383):
        (tmp_path / f"{rank}.json").write_text('{"time": 1.0, "step": 1, "phase": "step"}')
    assert 0 < len(read_heartbeats(tmp_path)) <= 16_384


def test_the_slow_one_among_a_thousand_is_named() -> None:
    # 100 steps in 100 s; a forward takes 0.1 s, on rank 613 0.2 s
    usual = {rank: Spent(100, 1.0, 10.0) for rank in range(RANKS)}
    first = dict.fromkeys(range(RANKS), Spent(0, 0.0, 0.0))
    [slow] = slow_ranks(first, usual | {613: Spent(100, 1.0, 20.0)}, 100.0, Bounds())
    assert slow.rank == 613
    assert slow.excess_s == pytest.approx(0.3)
