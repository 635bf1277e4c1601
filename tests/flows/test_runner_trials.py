"""Trials under the real supervisor: kill -9 of the payload and of a rank, resume, cancel."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from contracts.launch import InnerLaunch, LaunchRequest
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.trials import Trial
from runners import prepare_trials, read_trials
from tests.job_shop import JobShop, shop, variable

__all__ = ["shop"]

ROOT = Path(__file__).parents[2]
PAYLOAD = ROOT / "runners" / "payload"
LABELS = ("first", "second", "third")

TRIAL = """\
# Stands for a torchrun: measured at once, unless a file named hold-<label> lies in the folder that it is given.
import json, os, pathlib, sys, time
run, switches = pathlib.Path(os.environ["FSDP_RUN_DIR"]), pathlib.Path(sys.argv[1])
(run / "hb").mkdir()
(run / "hb" / "0.json").write_text("{}")
while (switches / f"hold-{run.name}").exists():
    if (run / "cmd" / "stop").exists():
        sys.exit(0)
    time.sleep(0.05)
lines = [{"kind": "step", "time": t, "tokens_per_s": 100.0} for t in range(6)]
lines += [{"kind": "end", "data": {"peak_gib": 0.5, "peak_of": "rss", "device_name": "cpu"}}]
(run / "events.jsonl").write_text("".join(json.dumps(line) + "\\n" for line in lines))
"""


@pytest.fixture
def switches(shop: JobShop) -> Path:
    """Where a test says which trial waits; not beside the payload, where only approved files may lie."""
    folder = shop.folder / "switches"
    folder.mkdir()
    return folder


@pytest.fixture
def launch(shop: JobShop, switches: Path) -> LaunchRequest:
    """Three trials without torch."""
    bundle = shop.folder / "trials_bundle"
    bundle.mkdir()
    for name in ("fsdp_trials.py", "fsdp_trials_child.py", "fsdp_trials_figures.py"):
        (bundle / name).write_bytes((PAYLOAD / name).read_bytes())
    for name in ("fsdp_sft_config.py", "fsdp_sft_rundir.py"):
        (bundle / name).write_bytes((PAYLOAD / name).read_bytes())
    (bundle / "trial.py").write_text(TRIAL)
    argv = [str(bundle / "trial.py"), str(switches)]
    told = {"trials": [{"label": label, "argv": argv} for label in LABELS], "ranks": 1, "warmup": 1}
    (bundle / "trials.json").write_text(json.dumps(told | {"boot_s": 300, "step_s": 300}))
    return shop.launch().model_copy(
        update={
            "kind": "trials",
            "argv": (str(bundle / "fsdp_trials.py"), "--trials", str(bundle / "trials.json")),
            "launches": tuple(InnerLaunch(label=label, argv=tuple(argv), settings={}) for label in LABELS),
            "inputs": (),
        }
    )


def statuses(shop: JobShop, run_id: str) -> list[str]:
    return [result.status for result in read_trials(shop.home, run_id)]


def until_started(shop: JobShop, run_id: str, label: str) -> Path:
    folder = shop.run_dir(run_id) / "trials" / label
    shop.until((folder / "hb" / "0.json").exists)
    return folder


def test_a_killed_payload_leaves_nothing_and_a_resume_measures_only_what_was_missing(
    shop: JobShop, launch: LaunchRequest, switches: Path
) -> None:
    (switches / "hold-second").touch()
    run = shop.submit(launch)
    until_started(shop, run.run_id, "second")
    assert statuses(shop, run.run_id) == ["measured", "not_run", "not_run"]
    kept = shop.run_dir(run.run_id) / "trials" / "first.json"
    before = kept.stat().st_mtime_ns
    os.kill(shop.launcher(run.run_id), signal.SIGKILL)
    end = shop.wait(run.run_id)
    assert (end.state, end.exit_code, end.reason) == ("failed", -9, "the launcher killed by SIGKILL")
    shop.until_gone()  # the trial that was at work too
    (switches / "hold-second").unlink()
    shop.runner.resume(run.run_id)
    done = shop.wait(run.run_id)
    assert (done.state, done.attempt) == ("done", 2), done.reason
    assert statuses(shop, run.run_id) == ["measured", "measured", "measured"]
    assert kept.stat().st_mtime_ns == before
    assert (shop.run_dir(run.run_id) / "trials" / "second.before-2").is_dir()


def test_a_cancelled_run_keeps_what_was_measured_and_starts_nothing_more(
    shop: JobShop, launch: LaunchRequest, switches: Path
) -> None:
    (switches / "hold-second").touch()
    run = shop.submit(launch)
    until_started(shop, run.run_id, "second")
    shop.runner.cancel(run.run_id)
    end = shop.wait(run.run_id)
    assert end.state == "cancelled", end.reason
    assert statuses(shop, run.run_id) == ["measured", "not_run", "not_run"]
    assert not (shop.run_dir(run.run_id) / "trials" / "third").exists()
    shop.until_gone()


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    script = ROOT / "examples" / "tiny_sft" / "make.py"
    subprocess.run([sys.executable, script, folder / "build"], check=True, timeout=300)
    return folder / "build" / "model"


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_rank_of_a_real_trial_is_told_and_the_next_trial_is_measured(shop: JobShop, model: Path) -> None:
    shop.patience_s = 400.0
    asked = {"intent": "plan", "model": {"path": str(model)}, "hardware": {"device": "cpu", "ranks": 2}}
    # the first is so long in each step that it is found at work
    heavy = Recipe(seq_len=128, micro_batch=32, grad_accum=4, param_dtype="fp32", activation_checkpointing="full")
    light = Recipe(seq_len=64, param_dtype="fp32")
    trials = [Trial(label="heavy", recipe=heavy), Trial(label="light", recipe=light)]
    launch = prepare_trials(Request.model_validate(asked), trials, shop.home, sys.executable).launch
    run = shop.submit(launch)
    folder = until_started(shop, run.run_id, "heavy")
    ours = [pid for pid in shop.processes() if variable(pid, "FSDP_RUN_DIR") == str(folder)]
    [rank] = [pid for pid in ours if variable(pid, "RANK") == "1"]
    os.kill(rank, signal.SIGKILL)
    end = shop.wait(run.run_id)
    assert end.state == "done", end.reason
    heavy_result, light_result = read_trials(shop.home, run.run_id)
    assert (heavy_result.status, heavy_result.reason) == ("failed", "rank 1 killed by SIGKILL")
    assert light_result.status == "measured"
    assert (light_result.tokens_per_s_per_gpu or 0) > 0
    shop.until_gone()
