"""DataLoader workers: who is killed above, among or below them, none is left, and the run goes on."""

import json
import os
import signal
from pathlib import Path

import pytest

from contracts.launch import RestartPolicy
from tests.job_shop import JobShop, shop, variable

__all__ = ["shop"]
pytestmark = [pytest.mark.train, pytest.mark.timeout(600)]

SCRIPT = Path(__file__).with_name("workers.py").read_text()
STEPS, HOLD = 8, 5
ONCE = RestartPolicy(max_restarts=1, backoff_s=0.0)


def _losses(shop: JobShop, run_id: str) -> dict[int, float]:
    lines = (shop.run_dir(run_id) / "losses.jsonl").read_text().splitlines()
    return dict(json.loads(line) for line in lines)


def _workers(shop: JobShop, run_id: str) -> dict[int, list[int]]:
    """Pids of the workers of each rank: what has a rank's environment and a rank for its parent."""
    folder = str(shop.run_dir(run_id))
    ranks = {pid: variable(pid, "RANK") for pid in shop.processes() if variable(pid, "FSDP_RUN_DIR") == folder}
    found: dict[int, list[int]] = {0: [], 1: []}
    for pid, rank in ranks.items():
        try:
            parent = int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if rank is not None and ranks.get(parent) == rank:
            found[int(rank)].append(pid)
    return found


def _held(shop: JobShop, key: str, **changes: object) -> tuple[str, dict[int, list[int]]]:
    """Submit, and wait until both ranks stand still with both their workers."""
    shop.patience_s = 240.0
    launch = shop.launch(SCRIPT, str(STEPS), str(HOLD), ranks=2, restart=ONCE, **changes)
    run_id = shop.submit(launch, key).run_id
    held = [shop.run_dir(run_id) / f"held-{rank}" for rank in (0, 1)]
    shop.until(lambda: all(path.exists() for path in held))
    workers = shop.until(lambda: _workers(shop, run_id), lambda found: [len(pids) for pids in found.values()] == [2, 2])
    return run_id, workers


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> dict[int, float]:
    """Losses of the script that nobody touches."""
    jobs = JobShop(tmp_path_factory.mktemp("workers"))
    jobs.patience_s = 240.0
    run_id = jobs.submit(jobs.launch(SCRIPT, str(STEPS), "0", ranks=2)).run_id
    assert jobs.wait(run_id).state == "done", jobs.runner.logs(run_id)
    assert not jobs.end_all()
    return _losses(jobs, run_id)


@pytest.mark.parametrize(
    "who",
    [
        "torchrun",
        pytest.param("rank", marks=pytest.mark.slow),
        pytest.param("worker", marks=pytest.mark.slow),
    ],
)
def test_a_kill_leaves_no_worker_and_the_run_goes_on(who: str, shop: JobShop, untouched: dict[int, float]) -> None:
    run_id, workers = _held(shop, "key")
    victim = {"torchrun": shop.launcher(run_id), "worker": workers[1][0]}.get(who) or _parent(workers[1][0])
    os.kill(victim, signal.SIGKILL)
    if who == "worker":
        (shop.run_dir(run_id) / "go").touch()  # the loader notices when it is asked for a batch
    end = shop.wait(run_id)
    assert (end.state, end.attempt) == ("done", 2), f"{end.reason}\n{shop.runner.logs(run_id)}"
    assert not {pid for pids in workers.values() for pid in pids} & set(shop.processes())
    assert _losses(shop, run_id) == untouched


@pytest.mark.slow
def test_a_cancel_leaves_no_worker(shop: JobShop) -> None:
    run_id, workers = _held(shop, "key")
    shop.runner.cancel(run_id)
    assert shop.wait(run_id).state == "cancelled"
    assert not {pid for pids in workers.values() for pid in pids} & set(shop.processes())


def _parent(pid: int) -> int:
    return int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
