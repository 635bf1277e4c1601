"""What the runner costs a job: step times under the runner against torchrun alone, side by side.

Both jobs are up at once, the same payload on the same two ranks, and take turns of
two seconds: all processes of the one stand still (SIGSTOP), its supervisor with them, while the
other runs. What else the machine does, and its warmth, then meets both alike.
"""

import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from contracts.launch import LaunchRequest
from contracts.recipe import Recipe
from contracts.request import Request
from runners import prepare_launch
from tests.job_shop import JobShop, shop

__all__ = ["shop"]
pytestmark = [pytest.mark.slow, pytest.mark.train, pytest.mark.timeout(600)]

LIMIT = 1.02
TURN_S, SETTLE_S = 2.0, 0.1
LEAST_PAIRS, MOST_PAIRS = 40, 100
GOOD_ERROR = 0.004
"""Enough pairs of turns: their standard error is below this."""
EXAMPLE = Path(__file__).parents[2] / "examples" / "tiny_sft" / "make.py"


@pytest.fixture
def launch(shop: JobShop, tmp_path: Path) -> LaunchRequest:
    made = tmp_path / "made"
    subprocess.run([sys.executable, str(EXAMPLE), str(made)], check=True, capture_output=True, timeout=240)
    asked = {
        "intent": "run",
        "model": {"path": str(made / "model")},
        "data": {"train": str(made / "train.jsonl")},
        "hardware": {"ranks": 2, "device": "cpu"},
    }
    recipe = Recipe(steps=1_000_000, seq_len=96, micro_batch=4, param_dtype="fp32", checkpoint_every=0, export=False)
    return prepare_launch(Request.model_validate(asked), recipe, shop.home).launch


@contextlib.contextmanager
def torchrun_alone(launch: LaunchRequest, folder: Path) -> Iterator[psutil.Process]:
    """The launch as a person would type it."""
    folder.mkdir()
    places = {"{run_dir}": str(folder), "{attempt_dir}": str(folder / "attempt")}

    def filled(text: str) -> str:
        for name, value in places.items():
            text = text.replace(name, value)
        return text

    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment |= {name: filled(value) for name, value in launch.env.items()}
    environment |= {"FSDP_RUN_DIR": str(folder), "FSDP_RUN_ID": "alone", "FSDP_ATTEMPT": "1"}
    words = [launch.interpreter, *map(filled, launch.argv)]
    with open(folder / "log", "wb") as log:
        process = psutil.Popen(
            words, cwd=launch.workdir, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    family = [process]
    try:
        yield process
    finally:
        family += process.children(recursive=True)
        for member in reversed(family):
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
        process.wait()


def _tell(processes: list[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):  # what only helped a rank to start
            process.send_signal(number)


def _step_times(events: Path) -> list[float]:
    with open(events, encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return [event["time"] for event in found if event["kind"] == "step"]


def _processor_s(processes: list[psutil.Process]) -> float:
    """Return the processor seconds of processes so far."""
    seconds = 0.0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            seconds += times.user + times.system
    return seconds


def _take_turns(jobs: dict[str, list[psutil.Process]], pair: int) -> Iterator[tuple[str, float, float]]:
    """Let each job run for a turn, the first one alternating; yield (job, begin, end)."""
    for name in sorted(jobs, reverse=bool(pair % 2)):
        (other,) = jobs.keys() - {name}
        _tell(jobs[other], signal.SIGSTOP)
        _tell(jobs[name], signal.SIGCONT)
        began = time.time() + SETTLE_S
        time.sleep(SETTLE_S + TURN_S)
        yield name, began, time.time()


def _medians(times: list[float], turns: list[tuple[float, float]]) -> list[float | None]:
    """Median seconds between two steps that both fall into a turn, for each turn."""
    found: list[float | None] = []
    for began, ended in turns:
        within = [moment for moment in times if began <= moment <= ended]
        gaps = [after - before for before, after in pairwise(within)]
        found.append(statistics.median(gaps) if len(gaps) >= 3 else None)
    return found


def _ratios(
    files: dict[str, Path], turns: dict[str, list[tuple[float, float]]]
) -> tuple[list[float], dict[str, float]]:
    each = {name: _medians(_step_times(files[name]), turns[name]) for name in files}
    pairs = [(a, b) for a, b in zip(each["runner"], each["alone"], strict=False) if a is not None and b is not None]
    steps = {"runner": statistics.median(a for a, _ in pairs), "alone": statistics.median(b for _, b in pairs)}
    return [a / b for a, b in pairs], steps


def _standard_error(ratios: list[float]) -> float:
    """Standard error of the median, by the median absolute deviation: 1.253 x 1.4826 x MAD / sqrt(n)."""
    middle = statistics.median(ratios)
    deviation = statistics.median(abs(ratio - middle) for ratio in ratios)
    return 1.253 * 1.4826 * deviation / len(ratios) ** 0.5


def test_the_runner_costs_a_step_next_to_nothing(shop: JobShop, launch: LaunchRequest, tmp_path: Path) -> None:
    run = shop.submit(launch)
    with torchrun_alone(launch, tmp_path / "alone") as alone:
        files = {"runner": shop.run_dir(run.run_id) / "events.jsonl", "alone": tmp_path / "alone" / "events.jsonl"}
        shop.until(lambda: all(path.exists() and len(_step_times(path)) > 5 for path in files.values()))
        ours = {*shop.processes(f"FSDP_RUN_MARKER={run.run_id}."), shop.supervisor(run.run_id)}
        jobs = {"runner": [psutil.Process(pid) for pid in ours], "alone": [alone, *alone.children(recursive=True)]}
        turns: dict[str, list[tuple[float, float]]] = {"runner": [], "alone": []}
        added = [psutil.Process(pid) for pid in (shop.supervisor(run.run_id), shop.shim(run.run_id))]
        before = _processor_s(added), _processor_s(jobs["runner"])
        try:
            for pair in range(MOST_PAIRS):
                for name, began, ended in _take_turns(jobs, pair):
                    turns[name].append((began, ended))
                if pair >= LEAST_PAIRS and pair % 20 == 0 and _standard_error(_ratios(files, turns)[0]) < GOOD_ERROR:
                    break
        finally:
            after = _processor_s(added), _processor_s(jobs["runner"])
            _tell(jobs["runner"], signal.SIGCONT)
        ratios, steps = _ratios(files, turns)
    shop.runner.cancel(run.run_id)
    shop.wait(run.run_id, "cancelled")
    ratio, error = statistics.median(ratios), _standard_error(ratios)
    share = (after[0] - before[0]) / (after[1] - before[1])
    print(
        f"step {steps['runner'] * 1000:.1f} ms under the runner, {steps['alone'] * 1000:.1f} ms under torchrun alone; "
        f"ratio {ratio:.4f} +- {error:.4f}, median of {len(ratios)} pairs of turns, load {os.getloadavg()[0]:.1f}; "
        f"supervisor and shim take {share:.2%} of the job's processor time"
    )
    # what the machine's noise leaves open is not held against the runner
    assert ratio - 3 * error <= LIMIT
    # nor does noise hide what the runner adds: its own work is exact
    assert share <= LIMIT - 1
