"""The real payload over two emulated nodes: through the graph with an approval, preempted, and cut by a time limit."""

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.launch import LaunchRequest
from contracts.request import Request
from engines.intake.request_file import read_request
from runners import Backends, prepare_launch
from runners.batch.submissions import SubmissionDir
from tests.flows.slurm_nodes import TwoNodes
from tests.job_shop import JobShop, shop
from tests.slurm_cluster import Cluster, cluster, whole_cluster

__all__ = ["cluster", "shop", "whole_cluster"]

EXAMPLE = Path(__file__).parents[2] / "examples" / "tiny_sft"

pytestmark = [pytest.mark.slurm, pytest.mark.slow, pytest.mark.train, pytest.mark.timeout(1500)]


@pytest.fixture
def two(shop: JobShop, cluster: Cluster) -> Iterator[TwoNodes]:
    yield TwoNodes(shop, cluster)
    cluster.mend()


@pytest.fixture
def asked(tmp_path: Path) -> dict[str, Any]:
    """The example's request, for one rank on each of two nodes."""
    subprocess.run([sys.executable, EXAMPLE / "make.py", tmp_path / "build"], check=True, timeout=300)
    (tmp_path / "request.yaml").write_text((EXAMPLE / "request.yaml").read_text())
    request = read_request(tmp_path / "request.yaml").model_dump(mode="json", exclude_unset=True)
    return request | {
        "recipe": request["recipe"] | {"steps": 16, "warmup_steps": 2, "eval_every": 8, "checkpoint_every": 8},
        "hardware": {"device": "cpu", "nodes": 2, "ranks": 2},
        "interpreter": sys.executable,
        "slurm": {"interface": "lo"},
    }


def launch_of(asked: dict[str, Any], two: TwoNodes, steps: int, **options: Any) -> LaunchRequest:
    request = Request.model_validate(asked | {"slurm": asked["slurm"] | {"preflight": False} | options})
    recipe = request.recipe.model_copy(update={"steps": steps, "checkpoint_every": 1000})
    return prepare_launch(request, recipe, two.shop.home).launch


def losses(two: TwoNodes, run_id: str) -> dict[int, float | None]:
    """Loss by step; a step that was done again counts as it was done last."""
    events = two.runner.events(run_id, limit=10_000).events
    return {event.step or 0: event.loss for event in events if event.kind == "step"}


def weights(two: TwoNodes, run_id: str) -> str:
    """SHA-256 of the exported weights."""
    [path] = two.run_dir(run_id).path.glob("export/*.safetensors")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_two_nodes_through_the_graph_with_an_approval(
    thread_on: Any, bench: Any, asked: dict[str, Any], cluster: Cluster
) -> None:
    from langgraph.checkpoint.memory import MemorySaver

    thread = thread_on(MemorySaver())
    thread.give(request=asked)
    assert thread.state["phase"] == "awaiting_approval", thread.state.get("error")
    assert thread.state["plan"]["world_size"] == 2
    assert cluster.jobs() == [] or not any(bench.home.root.name in name for name in cluster.jobs())
    thread.answer(bench.decision(thread.question["launch_hash"]))
    run_id = thread.question["run_id"]
    runner = Backends(bench.home)
    cluster.until(lambda: runner.status(run_id).ended_at is not None, 900)
    record = runner.status(run_id)
    assert record.state == "done", record.reason + runner.logs(run_id)
    out = thread.answer({"state": "done"})
    assert out["phase"] == "done"
    assert out["report"]["loss_last"] < out["report"]["loss_first"] - 1
    placed = [notice.message for notice in runner.notices(run_id) if notice.kind == "placed"]
    assert placed[0].endswith("has n1, n2")
    assert list(Path(out["run"]["result"]["export"]).glob("*.safetensors"))


def test_a_preempted_run_goes_on_bit_for_bit(two: TwoNodes, asked: dict[str, Any]) -> None:
    launch = launch_of(asked, two, 120, save_before_s=30, partition="train")
    alone = two.start(launch, "alone")
    assert two.shop.wait(alone.run_id).state == "done"
    run = two.start(launch, "preempted")
    two.shop.until_step(run.run_id, 10)
    two.cluster.call("sbatch", "-p", "urgent", "-N3", "-n3", "--exclusive", "-o", "/dev/null", "--wrap", "sleep 3")
    waiting = two.shop.wait(run.run_id, "queued", "done", "failed")
    assert (waiting.state, waiting.attempt) == ("queued", 1)
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 2, 120), end.reason
    assert len(two.job_names(run.run_id)) == 1
    [again] = [notice.message for notice in two.runner.notices(run.run_id) if notice.kind == "restart"]
    assert "preempted by another job: the job saved and stopped at step" in again
    resumed = [event for event in two.runner.events(run.run_id).events if event.kind == "resume"]
    assert len(resumed) == 1
    assert (resumed[0].step or 0) >= 10
    assert losses(two, run.run_id) == losses(two, alone.run_id)
    assert weights(two, run.run_id) == weights(two, alone.run_id)


def test_the_time_limit_is_met_by_a_further_job(two: TwoNodes, asked: dict[str, Any]) -> None:
    # Slurm's signal may come a minute early: two minutes leave time to boot on a busy machine
    run = two.start(launch_of(asked, two, 4000, time_limit_minutes=2, save_before_s=10))
    two.shop.until(lambda: len(two.job_names(run.run_id)), lambda count: count == 2)
    two.shop.until(lambda: two.runner.status(run.run_id), lambda record: record.attempt == 2)
    [told] = [notice.message for notice in two.runner.notices(run.run_id) if notice.kind == "restart"]
    saved, went_on = re.fullmatch(
        r"the time limit is near: the job saved and stopped at step (\d+); job (\d+) goes on when job \d+ has ended",
        told,
    ).groups()
    two.shop.until(lambda: two.steps(run.run_id)[-1:], lambda last: last and last[0] > int(saved))
    assert SubmissionDir(two.run_dir(run.run_id), 2).job_id() == int(went_on)
    [resumed] = [event for event in two.runner.events(run.run_id, limit=10_000).events if event.kind == "resume"]
    assert resumed.step == int(saved)
    two.runner.cancel(run.run_id)
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("cancelled", 2)
    assert len(two.job_names(run.run_id)) == 2  # a cancelled run is not continued
    assert two.steps(run.run_id) == list(range(1, (end.step or 0) + 1))  # none left out, none done twice


def test_where_no_continuation_is_left_the_run_ends_and_can_be_resumed(two: TwoNodes, asked: dict[str, Any]) -> None:
    options = {"time_limit_minutes": 1, "save_before_s": 10, "max_continuations": 0, "max_requeues": 0}
    run = two.start(launch_of(asked, two, 4000, **options))
    end = two.shop.wait(run.run_id)
    assert end.state == "failed"
    assert "0 further jobs were approved, and are used up" in end.reason
    assert "a resume goes on from there" in end.reason
    assert two.runner.resume(run.run_id).state not in ("failed", "lost")
    two.runner.cancel(run.run_id)
    assert two.shop.wait(run.run_id).state == "cancelled"
