"""A supervisor that only watches: less than 40 MB and half a percent of a core."""

import os
import time
from pathlib import Path

import pytest

from contracts.launch import LaunchResources, WatchLimits
from tests.job_shop import JobShop, shop

__all__ = ["shop"]

RANKS, WATCHED_S, LIMIT_KIB, LIMIT_SHARE = 8, 40.0, 40_000, 0.005
"""40 MB are 40,000 kB as the kernel counts; it means KiB, so the limit is a little tighter."""

EIGHT_RANKS = f"""\
# The heartbeats of {RANKS} ranks in a step of one second, and a log that grows.
import json, os, pathlib, time
run = pathlib.Path(os.environ["FSDP_RUN_DIR"])
step = 0
while not (run / "cmd" / "stop").exists():
    step += 1
    for rank in range({RANKS}):
        beat = {{"time": time.time(), "step": step, "phase": "step"}}
        beat["spent"] = {{"steps": step, "host_s": 0.01 * step, "forward_s": 0.2 * step}}
        (run / "hb" / f".{{rank}}").write_text(json.dumps(beat))
        (run / "hb" / f".{{rank}}").rename(run / "hb" / f"{{rank}}.json")
    with open(run / "events.jsonl", "a") as log:
        log.write(json.dumps({{"kind": "step", "time": time.time(), "attempt": 1, "step": step}}) + "\\n")
    time.sleep(1)
(run / "result.json").write_text(json.dumps({{"status": "stopped", "steps": step}}))
"""


def _cpu_s(pid: int) -> float:
    fields = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_kib(pid: int) -> int:
    [line] = [
        line for line in (Path("/proc") / str(pid) / "status").read_text().splitlines() if line.startswith("VmHWM")
    ]
    return int(line.split()[1])


@pytest.mark.slow
def test_a_supervisor_costs_next_to_nothing(shop: JobShop) -> None:
    watch = WatchLimits(step_s=600.0)
    resources = LaunchResources(nodes=1, ranks_per_node=RANKS, device="cpu")
    run = shop.submit(shop.launch(EIGHT_RANKS, kind="train", watch=watch, resources=resources))
    shop.until_step(run.run_id, 3)
    pid = shop.supervisor(run.run_id)
    began, before_s = time.monotonic(), _cpu_s(pid)
    time.sleep(WATCHED_S)
    share = (_cpu_s(pid) - before_s) / (time.monotonic() - began)
    peak_kib = _peak_kib(pid)
    print(
        f"supervisor of {RANKS} ranks over {WATCHED_S:.0f} s: {share:.3%} of a core, {peak_kib / 1000:.1f} MB at most"
    )
    shop.runner.cancel(run.run_id)
    shop.wait(run.run_id, "cancelled")
    assert share < LIMIT_SHARE
    assert peak_kib < LIMIT_KIB
