"""Backends under the conformance suite. A new backend is added to `BACKENDS`."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pytest

from contracts.approval import Approval
from contracts.launch import LaunchRequest
from contracts.run import RunRecord
from contracts.slurm import SlurmOptions
from runners import Runner, SlurmRunner
from tests.contract.memory_runner import MemoryRunner
from tests.job_shop import PATIENCE_S, JobShop, shop
from tests.slurm_cluster import Cluster, cluster, whole_cluster

__all__ = ["cluster", "shop", "whole_cluster"]

BACKENDS = ("local", "memory", pytest.param("slurm", marks=pytest.mark.slurm))


@dataclass
class Backend:
    """What the suite needs to know of a backend."""

    runner: Runner
    """The backend itself."""
    trainer: Callable[..., LaunchRequest]
    """(steps, seconds each) -> launch of a job that reports, saves, stops and resumes."""
    program: Callable[..., LaunchRequest]
    """(Python source) -> launch of it."""
    approve: Callable[..., Approval]
    """launch -> sealed decision; further fields may be given."""
    wait: Callable[..., RunRecord]
    """(run id, states) -> the record as soon as it is in one of them."""
    until_step: Callable[[str, int], RunRecord]
    """(run id, step) -> the record as soon as the job has reported the step."""
    crash: Callable[[str], None]
    """Kill the job, not the runner, without warning."""
    give: Callable[..., None]
    """(cores=number) -> that many cores are there for all runs; by default more than they take."""
    plant_foreign: Callable[[str], None]
    """Put something where a run of this id would be."""
    waits_for: str = "2 of 2 cores"
    """What a run says that waits for two cores."""

    def start(self, launch: LaunchRequest, key: str = "key") -> RunRecord:
        """Approve and submit."""
        return self.runner.submit(launch, self.approve(launch), key)

    def until_told(self, run_id: str, words: str) -> None:
        """Wait until a run says this of what it waits for: a scheduler may need a moment to know why."""
        deadline = time.monotonic() + PATIENCE_S
        while words not in (reason := self.runner.status(run_id).reason):
            assert time.monotonic() < deadline, f"it says {reason!r}"
            time.sleep(0.1)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Each backend in turn."""
    makers = {"local": _local, "memory": _memory, "slurm": _slurm}
    yield from makers[request.param](request)


def _local(request: pytest.FixtureRequest) -> Iterator[Backend]:
    jobs: JobShop = request.getfixturevalue("shop")

    def crash(run_id: str) -> None:
        os.kill(jobs.launcher(run_id), signal.SIGKILL)

    def plant(run_id: str) -> None:
        folder = jobs.run_dir(run_id)
        folder.mkdir(parents=True)
        (folder / "notes.txt").write_text("nobody's run")

    yield _of(jobs, jobs.runner, crash, jobs.give, plant)


def _slurm(request: pytest.FixtureRequest) -> Iterator[Backend]:
    cluster: Cluster = request.getfixturevalue("cluster")
    jobs: JobShop = request.getfixturevalue("shop")
    jobs.patience_s = 120.0
    jobs.runner = runner = SlurmRunner(jobs.home, stop_grace_s=20.0, kill_after_s=20.0)
    here = {"slurm": SlurmOptions(preflight=False)}

    def crash(run_id: str) -> None:
        # as srun starts them: nothing of ours is between the node and the job
        ranks = [pid for pid, command in jobs.processes().items() if command.split()[1:2] == [str(jobs.script)]]
        for pid in ranks:
            os.kill(pid, signal.SIGKILL)

    def plant(run_id: str) -> None:
        folder = jobs.run_dir(run_id)
        folder.mkdir(parents=True)
        (folder / "notes.txt").write_text("nobody's run")

    trainer, program = partial(jobs.trainer, **here), partial(jobs.launch, **here)
    yield Backend(
        runner,
        trainer,
        program,
        jobs.approve,
        jobs.wait,
        jobs.until_step,
        crash,
        cluster.give,
        plant,
        waits_for="Resources",
    )


def _memory(request: pytest.FixtureRequest) -> Iterator[Backend]:
    jobs: JobShop = request.getfixturevalue("shop")
    runner = MemoryRunner(jobs.home)
    jobs.runner = runner  # what the shop waits for is there

    def plant(run_id: str) -> None:
        runner.store[run_id] = "nobody's run"

    yield _of(jobs, runner, runner.crash, runner.give, plant)
    assert not runner.end_all()


def _of(
    jobs: JobShop,
    runner: Runner,
    crash: Callable[[str], None],
    give: Callable[..., None],
    plant: Callable[[str], None],
) -> Backend:
    return Backend(runner, jobs.trainer, jobs.launch, jobs.approve, jobs.wait, jobs.until_step, crash, give, plant)
