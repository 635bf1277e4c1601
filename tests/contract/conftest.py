"""Backends under the conformance suite. A new backend is added to `BACKENDS`."""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from contracts.approval import Approval
from contracts.launch import LaunchRequest
from contracts.run import RunRecord
from runners import Runner
from tests.contract.memory_runner import MemoryRunner
from tests.job_shop import JobShop, shop

__all__ = ["shop"]

BACKENDS = ("local", "memory")


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

    def start(self, launch: LaunchRequest, key: str = "key") -> RunRecord:
        """Approve and submit."""
        return self.runner.submit(launch, self.approve(launch), key)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Each backend in turn."""
    makers = {"local": _local, "memory": _memory}
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
