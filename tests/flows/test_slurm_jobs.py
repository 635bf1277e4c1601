"""A real Slurm: queues that never start, jobs that it refuses, scripts submitted by hand, and a stop that saves."""

import subprocess
from collections.abc import Iterator

import pytest

from contracts.errors import RequestInvalid, UnknownRun
from contracts.launch import LaunchRequest
from contracts.slurm import SlurmOptions
from runners import Backends, LocalRunner
from runners.batch.handing_over import SlurmRefused
from runners.batch.submissions import SubmissionDir
from tests.flows.slurm_nodes import TwoNodes
from tests.job_shop import JobShop, shop
from tests.slurm_cluster import Cluster, cluster, whole_cluster

__all__ = ["cluster", "shop", "whole_cluster"]

pytestmark = [pytest.mark.slurm, pytest.mark.timeout(600)]


@pytest.fixture
def two(shop: JobShop, cluster: Cluster) -> Iterator[TwoNodes]:
    yield TwoNodes(shop, cluster)
    cluster.mend()


def one_node(two: TwoNodes, steps: int, pause_s: float = 0.05, **options: object) -> LaunchRequest:
    """The small trainer on one node, without torch."""
    return two.shop.trainer(steps, pause_s, slurm=SlurmOptions.model_validate({"preflight": False} | options))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"partition": "brief", "time_limit_minutes": 60}, "PartitionTimeLimit (it asks for more time than"),
        ({"sbatch_options": ("--hold",)}, "JobHeldUser (it is held back"),
        ({"sbatch_options": ("--begin=2099-01-01",)}, "BeginTime (its time has not come yet)"),
    ],
)
def test_a_queue_that_never_starts_is_told_with_slurms_reason(
    two: TwoNodes, options: dict[str, object], reason: str
) -> None:
    run = two.start(one_node(two, 3, **options))
    two.shop.until(lambda: two.runner.status(run.run_id).reason, lambda words: reason in words)
    record = two.runner.status(run.run_id)
    assert (record.state, record.attempt) == ("queued", 0)
    assert two.runner.cancel(run.run_id).state in ("cancelled", "stopping")
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("cancelled", 0)
    assert "in the queue" in end.reason


@pytest.mark.parametrize(
    ("options", "words"),
    [({"partition": "nowhere"}, "invalid partition"), ({"constraint": "nosuch"}, "feature")],
)
def test_what_slurm_refuses_leaves_nothing(two: TwoNodes, options: dict[str, object], words: str) -> None:
    with pytest.raises(SlurmRefused, match=f"(?i){words}"):
        two.start(one_node(two, 3, **options))
    assert list(two.runner.runs()) == []
    run = two.start(one_node(two, 3))  # the key is free again
    assert two.shop.wait(run.run_id).state == "done"


def test_a_script_submitted_again_by_hand_finds_the_first_job_and_ends(two: TwoNodes) -> None:
    run = two.start(one_node(two, 100))
    two.shop.until_step(run.run_id, 2)
    script = SubmissionDir(two.run_dir(run.run_id), 1).script
    second = subprocess.run(["sbatch", "--parsable", script], capture_output=True, text=True, check=True).stdout.strip()
    two.cluster.until(
        lambda: two.cluster.call("squeue", "-h", "-t", "all", "-j", second, "-o", "%T").strip() == "COMPLETED"
    )
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 1, 100)
    assert two.steps(run.run_id) == list(range(1, 101))
    assert f"this one, {second}, starts nothing" in two.output(run.run_id)


def test_an_approval_is_checked_on_the_node(two: TwoNodes) -> None:
    launch = one_node(two, 3, sbatch_options=("--hold",))
    run = two.start(launch)
    two.shop.script.write_text("print('something else')\n")  # after it was submitted
    job = SubmissionDir(two.run_dir(run.run_id), 1).job_id()
    two.cluster.call("scontrol", "release", str(job))
    end = two.shop.wait(run.run_id)
    assert end.state == "refused"
    assert "job.py" in end.reason
    assert not two.steps(run.run_id)
    assert not two.run_dir(run.run_id).attempts.exists()


def test_slurm_s_own_scancel_lets_it_save(two: TwoNodes) -> None:
    run = two.start(one_node(two, 1000))
    two.shop.until_step(run.run_id, 2)
    two.cluster.call("scancel", str(SubmissionDir(two.run_dir(run.run_id), 1).job_id()))
    end = two.shop.wait(run.run_id)
    assert end.state == "cancelled"


def test_usr1_by_hand_saves_and_goes_back_into_the_queue(two: TwoNodes) -> None:
    run = two.start(one_node(two, 120, save_before_s=20))
    two.shop.until_step(run.run_id, 2)
    job = SubmissionDir(two.run_dir(run.run_id), 1).job_id()
    two.cluster.call("scancel", "--batch", "--signal=USR1", str(job))
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 2, 120)
    assert len(two.job_names(run.run_id)) == 1
    [told] = [notice.message for notice in two.runner.notices(run.run_id) if notice.kind == "restart"]
    assert told.startswith("asked by SIGUSR1 to save and go back into the queue")


def test_where_no_requeue_was_approved_usr1_goes_on_in_a_further_job(two: TwoNodes) -> None:
    run = two.start(one_node(two, 120, save_before_s=20, max_requeues=0))
    two.shop.until_step(run.run_id, 2)
    two.cluster.call("scancel", "--batch", "--signal=USR1", str(SubmissionDir(two.run_dir(run.run_id), 1).job_id()))
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 2, 120)
    assert len(two.job_names(run.run_id)) == 2


def test_both_backends_share_a_home_and_each_keeps_to_its_own(two: TwoNodes) -> None:
    home = two.shop.home
    backends, local = Backends(home), LocalRunner(home)
    here, there = two.shop.trainer(2, 0.01), one_node(two, 2, 0.01)
    one = backends.submit(here, two.shop.approve(here), "one")
    other = backends.submit(there, two.shop.approve(there), "other")
    assert [record.run_id for record in backends.runs()] == [other.run_id, one.run_id]
    assert [record.run_id for record in local.runs()] == [one.run_id]
    assert [record.run_id for record in two.runner.runs()] == [other.run_id]
    with pytest.raises(UnknownRun, match="slurm backend"):
        local.cancel(other.run_id)
    with pytest.raises(RequestInvalid, match="one for Slurm"):
        local.submit(there, two.shop.approve(there), "third")
    two.shop.until(lambda: backends.status(other.run_id).state, lambda state: state == "done")
    two.shop.until(lambda: backends.status(one.run_id).state, lambda state: state == "done")


def test_a_forgotten_job_whose_end_is_journaled_needs_no_slurm(two: TwoNodes, monkeypatch: pytest.MonkeyPatch) -> None:
    run = two.start(one_node(two, 2, 0.01))
    end = two.shop.wait(run.run_id)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        assert two.runner.status(run.run_id) == end
