"""A real Slurm, two nodes, and kill -9 of everything that takes part: the right end, and nothing submitted twice."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.approval import Approval
from contracts.launch import LaunchRequest, RestartPolicy
from runners import Backends
from runners.batch.submissions import SubmissionDir, excluded_nodes
from tests.flows.slurm_nodes import TwoNodes
from tests.job_shop import JobShop, shop
from tests.slurm_cluster import Cluster, cluster, script, whole_cluster

__all__ = ["cluster", "shop", "whole_cluster"]

pytestmark = [pytest.mark.slurm, pytest.mark.slow, pytest.mark.train, pytest.mark.timeout(900)]

ONE_RESTART = RestartPolicy(max_restarts=1, backoff_s=0.1)


@pytest.fixture
def two(shop: JobShop, cluster: Cluster) -> Iterator[TwoNodes]:
    made = TwoNodes(shop, cluster)
    yield made
    cluster.mend()


def test_a_rank_is_killed_and_the_job_goes_on_in_its_allocation(two: TwoNodes) -> None:
    run = two.start(two.launch(60, 0.1, restart=ONE_RESTART))
    two.shop.until_step(run.run_id, 3)
    os.kill(two.shop.rank_pid(run.run_id, 1), signal.SIGKILL)
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 2, 60)
    assert len(two.job_names(run.run_id)) == 1
    [failure] = [entry for entry in two.shop.journal(run.run_id) if entry["kind"] == "end" and entry["state"] != "done"]
    assert failure["reason"] == "rank 1 killed by SIGKILL"  # of the second node, counted on


def test_srun_is_killed(two: TwoNodes) -> None:
    run = two.start(two.launch(1000, 0.1))
    two.shop.until_step(run.run_id, 3)
    assert two.kill(run.run_id, "srun", "node.py")
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("failed", 1)
    assert "SIGKILL" in end.reason
    two.shop.until_gone()
    assert len(two.job_names(run.run_id)) == 1


def test_the_supervisor_in_the_batch_step_is_killed_and_a_resume_goes_on(two: TwoNodes) -> None:
    run = two.start(two.launch(60, 0.1))
    two.shop.until_step(run.run_id, 3)
    assert two.kill(run.run_id, "__main__.py", " batch ")
    end = two.shop.wait(run.run_id)
    assert end.state == "failed"
    assert "Slurm ended job" in end.reason
    two.shop.until_gone()
    assert Backends(two.shop.home).reconcile() == []  # nothing is left to be taken care of
    two.runner.resume(run.run_id)
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 2, 60)
    assert sorted(set(two.steps(run.run_id))) == list(range(1, 61))
    assert len(two.job_names(run.run_id)) == 2


def test_slurmctld_is_killed_and_the_training_goes_on(two: TwoNodes) -> None:
    run = two.start(two.launch(400, 0.1))
    two.shop.until_step(run.run_id, 3)
    two.cluster.kill("slurmctld")
    record = two.runner.status(run.run_id)
    assert record.state == "running"
    assert "Slurm does not answer" in record.reason
    before = record.step or 0
    two.shop.until(lambda: two.steps(run.run_id)[-1], lambda step: step > before + 5)
    script.start_controller(two.cluster.folder)
    two.runner.cancel(run.run_id)
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.result["status"]) == ("cancelled", 1, "stopped")
    assert len(two.job_names(run.run_id)) == 1


def test_a_slurmd_is_killed_and_comes_back(two: TwoNodes) -> None:
    run = two.start(two.launch(100, 0.1))
    two.shop.until_step(run.run_id, 3)
    name = two.nodes(run.run_id)[1]
    two.cluster.kill(f"slurmd.{name}")
    seen = two.steps(run.run_id)[-1]
    two.shop.until(lambda: two.steps(run.run_id)[-1], lambda step: step > seen + 5)
    script.start_node(two.cluster.folder, name)
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 1, 100)


def test_a_node_that_stays_away_is_left_out_by_slurm(two: TwoNodes) -> None:
    run = two.start(two.launch(600, 0.1))
    two.shop.until_step(run.run_id, 3)
    first, lost = two.nodes(run.run_id)
    two.cluster.kill(f"slurmd.{lost}")  # it counts as down after 20 s
    two.shop.until(lambda: two.runner.status(run.run_id), lambda record: record.attempt == 2)
    two.shop.until(lambda: two.nodes(run.run_id), lambda nodes: len(nodes) == 2 and lost not in nodes)
    two.shop.until(lambda: two.shop.journal(run.run_id)[-1]["kind"], lambda kind: kind == "started")
    words = [notice.message for notice in two.runner.notices(run.run_id) if notice.kind == "restart"]
    assert len(words) == 1
    assert f"node {lost}: it failed" in words[0]
    assert list(excluded_nodes(two.run_dir(run.run_id))) == [lost]
    two.runner.cancel(run.run_id)
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("cancelled", 2)
    assert first
    assert len(two.job_names(run.run_id)) == 1


AGENT = """
import sys
from pathlib import Path
from contracts.approval import Approval
from contracts.launch import LaunchRequest
from runners import Home, SlurmRunner
launch = LaunchRequest.model_validate_json(Path(sys.argv[2]).read_bytes())
approval = Approval.model_validate_json(Path(sys.argv[3]).read_bytes())
SlurmRunner(Home(sys.argv[1])).submit(launch, approval, "key")
"""


def _agent(two: TwoNodes, folder: Path, launch: LaunchRequest, approval: Approval, wrapper: str) -> int:
    """Submit in a process of its own, whose sbatch dawdles, kill it meanwhile, and return the pid of that sbatch."""
    tools = folder / "tools"
    tools.mkdir()
    real = subprocess.run(["which", "sbatch"], capture_output=True, text=True, check=True).stdout.strip()
    (tools / "sbatch").write_text(f"#!/bin/sh\n{wrapper.format(real=real, folder=folder)}\n")
    (tools / "sbatch").chmod(0o755)
    (folder / "launch.json").write_text(launch.model_dump_json())
    (folder / "approval.json").write_text(approval.model_dump_json())
    words = [sys.executable, "-c", AGENT, str(two.shop.home.root), folder / "launch.json", folder / "approval.json"]
    env = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(Path(__file__).parents[2])}
    agent = subprocess.Popen(words, env=env)
    deadline = time.monotonic() + 60
    while not (folder / "sbatch.pid").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    agent.kill()
    agent.wait()
    return int((folder / "sbatch.pid").read_text())


@pytest.mark.parametrize(
    "wrapper",
    [
        pytest.param('echo $$ > {folder}/sbatch.pid; sleep 3; exec {real} "$@"', id="before sbatch reached Slurm"),
        pytest.param('{real} "$@" > /dev/null; echo $$ > {folder}/sbatch.pid; sleep 3', id="after Slurm took the job"),
    ],
)
def test_the_agent_is_killed_while_it_submits(two: TwoNodes, tmp_path: Path, wrapper: str) -> None:
    launch = two.launch(3, 0.01)
    approval = two.shop.approve(launch)
    _agent(two, tmp_path, launch, approval, wrapper)
    run = two.runner.submit(launch, approval, "key")  # waits until that sbatch has ended, and finds its job
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 1, 3)
    assert len(two.job_names(run.run_id)) == 1
    assert SubmissionDir(two.run_dir(run.run_id), 1).job_id() is not None


def test_reconcile_finishes_what_a_killed_agent_had_begun(two: TwoNodes, tmp_path: Path) -> None:
    launch = two.launch(3, 0.01)
    approval = two.shop.approve(launch)
    # killed with its sbatch: nothing came as far as Slurm
    pid = _agent(two, tmp_path, launch, approval, "echo $$ > {folder}/sbatch.pid; exec sleep 600")
    os.kill(pid, signal.SIGKILL)
    [before] = list(two.runner.runs())
    assert before.state == "submitted"
    assert two.job_names(before.run_id) == []
    [cared] = Backends(two.shop.home).reconcile()
    assert cared.run_id == before.run_id
    assert two.shop.wait(before.run_id).state == "done"
    assert len(two.job_names(before.run_id)) == 1
