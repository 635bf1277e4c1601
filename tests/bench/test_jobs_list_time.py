"""A list of a thousand runs takes half a second at most."""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.job_shop import JobShop, shop

__all__ = ["shop"]

CLI = str(Path(sys.executable).parent / "fsdp-agent")
RUNS, LIMIT_S, REPEATS = 1000, 0.5, 7


def _make_runs(shop: JobShop) -> None:
    """One run that was really run, and its folder under 999 other names."""
    run = shop.submit(shop.trainer(200, 0.01))
    shop.wait(run.run_id, "done")
    first = shop.run_dir(run.run_id)
    for number in range(1, RUNS):
        folder = first.with_name(f"r-{number:012x}")
        shutil.copytree(first, folder)
        submission = json.loads((first / "submission.json").read_text())
        submission |= {"marker": f"{folder.name}.{number:016x}", "key": str(number)}
        submission["created_at"] -= number
        (folder / "submission.json").write_text(json.dumps(submission))


def _processor_s(words: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_thousand_runs_are_listed_in_half_a_second(shop: JobShop, form: str) -> None:
    _make_runs(shop)
    words = [CLI, "jobs", "list", "--limit", str(RUNS), "--format", form, "--home", str(shop.home.root)]
    listed = subprocess.run(words, check=True, capture_output=True, text=True, timeout=120).stdout
    shown = len(json.loads(listed)["runs"]) if form == "json" else listed.count("done")
    assert shown == RUNS
    walls = []
    taken = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        taken.append(_processor_s(words))
        walls.append(time.perf_counter() - began)
    print(
        f"{RUNS} runs as {form}: {min(taken):.3f} s of one core (median {statistics.median(taken):.3f}), "
        f"wall {min(walls):.3f} to {max(walls):.3f} s, load {os.getloadavg()[0]:.1f}"
    )
    # of one core: it is one thread that hardly waits, and what else the machine does is not measured
    assert min(taken) < LIMIT_S
