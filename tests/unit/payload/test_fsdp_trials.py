"""The trials payload with small programs in the place of torchrun: what is measured, and what happens when one dies."""

import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from fsdp_sft_config import ConfigError
from fsdp_trials import load_trials
from fsdp_trials_figures import figures_of

PAYLOAD = Path(__file__).parents[3] / "runners" / "payload"
PATIENCE_S = 90

PROGRAM = textwrap.dedent(
    """\
    # A trial without training: events of known times and rates, and whatever else it is told to do.
    import json, os, pathlib, subprocess, sys, time
    run, what = pathlib.Path(os.environ["FSDP_RUN_DIR"]), sys.argv[1]
    with open(os.environ["STARTS"], "a") as log:
        log.write(run.name + "\\n")
    (run / "hb").mkdir()
    if what == "orphan":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    if what == "raise":
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
    if what == "hang":
        time.sleep(600)
    if what == "wait":
        while not (run / "cmd" / "stop").exists():
            time.sleep(0.05)
        sys.exit(0)
    lines = [{"kind": "boot", "data": {"torch": "9.9"}}]
    # three steps of warm-up at a rate of 1, then four of 100 s at 400, 600, 800 and 1000 tokens/s over all ranks
    moments = [10, 20, 30, 130, 230, 330, 430]
    rates = [1, 1, 1, 400, 600, 800, 1000]
    lines += [{"kind": "step", "time": t, "tokens_per_s": r} for t, r in zip(moments, rates)]
    lines += [{"kind": "end", "data": {"peak_gib": 1.5, "peak_of": "rss", "device_name": "cpu"}}]
    (run / "events.jsonl").write_text("".join(json.dumps(line) + "\\n" for line in lines))
    """
)


class Bench:
    """A run folder and a file of trials."""

    def __init__(self, folder):
        self.run_dir, self.starts = folder / "run", folder / "starts"
        self.run_dir.mkdir()
        self.program, self.file = folder / "trial.py", folder / "trials.json"
        self.program.write_text(PROGRAM)

    def write(self, *kinds, step_s=60, boot_s=60, ranks=2):
        trials = [{"label": kind, "argv": [str(self.program), kind.split("-")[0]]} for kind in kinds]
        asked = {"trials": trials, "ranks": ranks, "warmup": 3, "boot_s": boot_s, "step_s": step_s}
        self.file.write_text(json.dumps(asked))

    def start(self, **more):
        environment = os.environ | {"FSDP_RUN_DIR": str(self.run_dir), "STARTS": str(self.starts)} | more
        return subprocess.Popen(
            [sys.executable, PAYLOAD / "fsdp_trials.py", "--trials", self.file],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, **more):
        process = self.start(**more)
        said, _ = process.communicate(timeout=PATIENCE_S)
        return process.returncode, said

    def result(self, label):
        return json.loads((self.run_dir / "trials" / f"{label}.json").read_text())

    def started(self):
        return self.starts.read_text().split() if self.starts.exists() else []

    def left(self):
        """Processes that still carry this run's folder."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdecimal() and str(self.run_dir).encode() in (entry / "environ").read_bytes():
                    found.append(entry.name)
            except OSError:
                continue
        return found


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_a_trial_is_measured_after_its_warm_up_and_for_each_rank(bench):
    bench.write("good")
    code, said = bench.run()
    assert code == 0, said
    found = bench.result("good")
    assert found["status"] == "measured"
    assert found["steps"] == 4
    assert found["tokens_per_s_per_gpu"] == pytest.approx(350)  # the median of 400, 600, 800, 1000 is 700, of 2 ranks
    assert found["step_s"] == pytest.approx(100)
    assert (found["peak_gib"], found["peak_of"], found["torch"], found["device"]) == (1.5, "rss", "9.9", "cpu")
    end = json.loads((bench.run_dir / "result.json").read_text())
    assert (end["status"], end["steps"]) == ("done", 1)


def test_a_trial_that_dies_is_told_and_the_next_one_follows(bench):
    bench.write("raise", "good")
    code, said = bench.run()
    assert code == 0, said
    assert bench.result("raise")["status"] == "failed"
    assert bench.result("raise")["exit_code"] == 1
    assert "out of memory" in (bench.run_dir / "trials" / "raise" / "torchrun.log").read_text()
    assert bench.result("good")["status"] == "measured"
    kinds = [json.loads(line)["kind"] for line in (bench.run_dir / "events.jsonl").read_text().splitlines()]
    assert kinds == ["trial", "trial", "end"]
    assert bench.left() == []


def test_a_trial_that_hangs_is_ended_and_the_next_one_follows(bench):
    bench.write("hang", "hang-2", boot_s=1)
    code, said = bench.run()
    assert code == 0, said
    assert bench.started() == ["hang", "hang-2"]
    assert [bench.result(label)["status"] for label in ("hang", "hang-2")] == ["failed", "failed"]
    assert "no sign of life" in bench.result("hang")["reason"]
    assert bench.left() == []


def test_what_was_measured_is_not_measured_again_and_what_was_left_is_kept_as_evidence(bench):
    bench.write("good", "good-2", "raise")
    assert bench.run()[0] == 0
    (bench.run_dir / "trials" / "good-2.json").unlink()  # as if a kill had come before it was written
    before = bench.result("good")
    assert bench.run(FSDP_ATTEMPT="2")[0] == 0
    assert bench.started() == ["good", "good-2", "raise", "good-2", "raise"]
    assert bench.result("good") == before
    assert bench.result("good-2")["status"] == "measured"
    assert (bench.run_dir / "trials" / "good-2.before-2" / "events.jsonl").exists()


def test_a_process_that_a_trial_leaves_behind_is_ended(bench):
    bench.write("orphan")
    assert bench.run()[0] == 0
    assert bench.result("orphan")["status"] == "measured"
    assert bench.left() == []


@pytest.mark.parametrize("how", ["file", "signal"])
def test_a_stop_ends_the_trial_at_work_and_starts_no_other(bench, how):
    bench.write("good", "wait", "good-2")
    process = bench.start()
    deadline = time.monotonic() + PATIENCE_S
    while bench.started() != ["good", "wait"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    if how == "file":
        (bench.run_dir / "cmd").mkdir()
        (bench.run_dir / "cmd" / "stop").touch()
    else:
        process.terminate()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert [bench.result(label)["status"] for label in ("good", "wait", "good-2")] == ["measured", "not_run", "not_run"]
    assert json.loads((bench.run_dir / "result.json").read_text())["status"] == "stopped"
    assert bench.started() == ["good", "wait"]
    assert bench.left() == []


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"trials": []}',
        '{"trials": [], "ranks": 1, "warmup": 1, "boot_s": 1, "step_s": 1}',
        '{"trials": [{"label": "../x", "argv": []}], "ranks": 1, "warmup": 1, "boot_s": 1, "step_s": 1}',
        '{"trials": [{"label": "x", "argv": []}], "ranks": 1, "warmup": 0, "boot_s": 1, "step_s": 1}',
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, content):
    path = tmp_path / "trials.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=r"trials\.json"):
        load_trials(path)
    with pytest.raises(ConfigError, match="cannot read"):
        load_trials(tmp_path / "absent.json")


def test_events_that_a_kill_cut_short_give_no_figures(tmp_path):
    assert figures_of(tmp_path, 3, 2)["steps"] == 0
    (tmp_path / "events.jsonl").write_text('{"kind": "step", "time": 1, "tokens_per_s": 5}\n{"kind": "st')
    found = figures_of(tmp_path, 3, 2)
    assert (found["steps"], found["tokens_per_s_per_gpu"], found["step_s"], found["peak_gib"]) == (0, None, None, None)
