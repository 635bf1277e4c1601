"""Before the training starts, every node of the allocation is examined; one that is not fit is named and left out."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.launch import LaunchRequest
from contracts.request import Hardware, Request
from contracts.slurm import SlurmOptions
from runners import prepare_launch
from runners.batch.submissions import excluded_nodes
from tests.flows.slurm_nodes import TwoNodes
from tests.job_shop import TRAINER, JobShop, shop
from tests.slurm_cluster import Cluster, cluster, whole_cluster

__all__ = ["cluster", "shop", "whole_cluster"]

pytestmark = [pytest.mark.slurm, pytest.mark.slow, pytest.mark.train, pytest.mark.timeout(900)]


@pytest.fixture
def two(shop: JobShop, cluster: Cluster) -> Iterator[TwoNodes]:
    yield TwoNodes(shop, cluster)
    cluster.mend()


def launch_of(two: TwoNodes, folder: Path, interpreter: str, **options: Any) -> LaunchRequest:
    """The small trainer as a user's script, over two nodes, with a preflight."""
    path = folder / "train.py"
    path.write_text(TRAINER)
    request = Request(
        intent="run",
        script={"path": str(path), "args": ("5", "0.05")},
        hardware=Hardware(device="cpu", nodes=2, ranks=2),
        slurm=SlurmOptions.model_validate({"interface": "lo"} | options),
        interpreter=interpreter,
    )
    return prepare_launch(request, request.recipe, two.shop.home).launch


def broken_on(folder: Path, node: str) -> str:
    """An interpreter that does not start on one node: its installation is broken there."""
    path = folder / "python"
    path.write_text(
        f'#!/bin/sh\nif [ "$SLURMD_NODENAME" = {node} ]; then echo "cannot load libpython" >&2; exit 7; fi\n'
        f'exec {sys.executable} "$@"\n'
    )
    path.chmod(0o755)
    return str(path)


def test_nodes_that_are_fit_are_measured_and_the_job_starts(two: TwoNodes, tmp_path: Path) -> None:
    run = two.start(launch_of(two, tmp_path, sys.executable))
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 1, 5), end.reason
    [told] = [notice.message for notice in two.runner.notices(run.run_id) if notice.kind == "preflight"]
    assert "2 up on 2 machine(s) (n1, n2)" in told
    assert "2 nodes write" in told
    [path] = two.run_dir(run.run_id).path.glob("slurm/0001/preflight-*/result.json")
    result = json.loads(path.read_text())
    assert result["unfit"] == {}
    values = {check["name"]: check for check in result["checks"]}
    assert values["same_torch"]["verdict"] == values["all_reduce"]["verdict"] == "ok"
    assert "GB/s (bus) among all" in values["between_nodes"]["value"]
    assert values["shared_folder"]["verdict"] == "ok"
    assert not list(path.parent.glob("write.*"))  # what was written to measure is gone


def test_a_node_that_is_not_fit_is_named_and_left_out(two: TwoNodes, tmp_path: Path) -> None:
    run = two.start(launch_of(two, tmp_path, broken_on(tmp_path, "n2")))
    end = two.shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 1, 5), end.reason
    assert list(excluded_nodes(two.run_dir(run.run_id))) == ["n2"]
    [told] = [notice.message for notice in two.runner.notices(run.run_id) if notice.kind == "restart"]
    assert "node n2: its task of the preflight exited with exit code 7" in told
    placed = [notice.message for notice in two.runner.notices(run.run_id) if notice.kind == "placed"]
    assert [words.partition(" has ")[2] for words in placed] == ["n1, n2", "n1, n3"]
    assert len(two.job_names(run.run_id)) == 1


def test_without_an_approval_to_leave_nodes_out_the_run_ends_and_names_it(two: TwoNodes, tmp_path: Path) -> None:
    run = two.start(launch_of(two, tmp_path, broken_on(tmp_path, "n1"), max_excluded_nodes=0))
    end = two.shop.wait(run.run_id)
    assert end.state == "failed"
    assert "node n1: its task of the preflight exited with exit code 7" in end.reason
    assert "0 nodes may be left out (max_excluded_nodes)" in end.reason
    assert excluded_nodes(two.run_dir(run.run_id)) == {}
