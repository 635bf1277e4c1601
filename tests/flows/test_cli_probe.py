"""`jobs probe`: proofs of cards as a job of the runner."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.job_shop import JobShop, shop

__all__ = ["shop"]

CLI = str(Path(sys.executable).with_name("fsdp-agent"))
CARD = "optimizer-before-shard"


def cli(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [CLI, "jobs", "probe", *words, "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)


@pytest.mark.train
def test_a_proof_runs_as_a_job_that_policy_approved(shop: JobShop) -> None:
    told = cli(shop.home.root, CARD, "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert (found["run"]["kind"], found["run"]["state"], found["counts"]) == ("probe", "done", {"held": 1})
    assert [(entry["card"], entry["verdict"]) for entry in found["verdicts"]] == [(CARD, "held")]
    run_id = found["run"]["run_id"]
    assert json.loads((shop.run_dir(run_id) / "approval.json").read_text())["via"] == "policy"
    [event] = [event for event in shop.runner.events(run_id).events if event.kind == "probe"]
    assert event.data["verdict"] == "held"
    assert "held optimizer_before_shard" in shop.runner.logs(run_id)


def test_another_interpreter_is_foreign_code(shop: JobShop, tmp_path: Path) -> None:
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    told = cli(shop.home.root, CARD, "--interpreter", str(other), "--json")
    assert told.returncode == 5
    assert json.loads(told.stdout)["error"]["code"] == "approval_missing"


def test_cards_that_are_unknown_or_have_no_probe(shop: JobShop) -> None:
    assert cli(shop.home.root, "no-such-card").returncode == 2
    assert not list(shop.runner.runs())
