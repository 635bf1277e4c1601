"""`jobs preflight` with real gloo ranks: by policy in our own Python, asked for in another."""

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from contracts.errors import NotAllowed
from tests.job_shop import JobShop, shop

__all__ = ["shop"]

CLI = str(Path(sys.executable).parent / "fsdp-agent")
SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "jobs-preflight.schema.json"
PAYLOAD = Path(__file__).parents[2] / "runners" / "payload"


def cli(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [CLI, "jobs", "preflight", *words, "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, stdin=subprocess.DEVNULL)


@pytest.mark.train
def test_two_ranks_examine_each_other_and_nobody_is_asked(shop: JobShop) -> None:
    told = cli(shop.home.root, "--ranks", "2", "--json")
    assert told.returncode == 0, told.stderr + told.stdout
    found = json.loads(told.stdout)
    jsonschema.validate(found, json.loads(SCHEMA.read_text()))
    assert found["ready"]
    assert {check["name"] for check in found["checks"]} >= {"ranks", "same_torch", "all_reduce", "clocks", "disk"}
    sizes = [entry["bytes"] for entry in found["bandwidth"]]
    assert (sizes[0], sizes[-1]) == (1 << 10, 64 << 20)
    for entry in found["bandwidth"]:
        assert entry["right"]
        # of two ranks bus bandwidth is bytes / seconds: 2 (n - 1) / n is 1
        assert entry["bus_gb_per_s"] == pytest.approx(entry["bytes"] / entry["seconds"] / 1e9)
    approval = json.loads((shop.run_dir(found["run"]["run_id"]) / "approval.json").read_text())
    assert (approval["via"], approval["approver"]) == ("policy", "policy")


def test_another_interpreter_is_foreign_code(shop: JobShop, tmp_path: Path) -> None:
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    told = cli(shop.home.root, "--interpreter", str(other), "--json")
    assert told.returncode == 5
    assert json.loads(told.stdout)["error"]["code"] == "approval_missing"
    assert not list(shop.runner.runs())


@pytest.mark.train
@pytest.mark.parametrize(("answer", "code", "decision"), [("yes", 0, "approve"), ("no", 5, None)])
def test_a_person_at_a_terminal_is_asked(
    shop: JobShop, tmp_path: Path, answer: str, code: int, decision: str | None
) -> None:
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    ours, theirs = pty.openpty()
    command = [CLI, "jobs", "preflight", "--ranks", "1", "--interpreter", str(other), "--home", str(shop.home.root)]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    said, answered, deadline = "", False, time.monotonic() + 200
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                said += os.read(ours, 65536).decode()
            except OSError:  # the other side is closed
                break
        if "Start it?" in said and not answered:
            os.write(ours, answer.encode() + b"\n")
            answered = True
    assert process.wait(timeout=60) == code, said
    assert str(other) in said
    runs = list(shop.runner.runs())
    if decision is None:
        assert not runs
    else:
        approval = json.loads((Path(runs[0].run_dir) / "approval.json").read_text())
        assert (approval["via"], approval["decision"]) == ("cli", decision)


def test_too_many_ranks_and_no_gpus_are_refused(shop: JobShop) -> None:
    assert cli(shop.home.root, "--ranks", "100000").returncode == 2
    told = cli(shop.home.root, "--ranks", "64", "--device", "cuda")
    assert told.returncode == 2
    assert "GPUs" in told.stderr


def test_policy_cannot_approve_what_runs_foreign_code(shop: JobShop) -> None:
    launch = shop.trainer(1)
    with pytest.raises(NotAllowed, match="policy cannot approve a script job"):
        shop.runner.submit(launch, shop.approve(launch, via="policy"), "key")
    assert not list(shop.runner.runs())


@pytest.mark.train
def test_ranks_that_cannot_meet_fail_and_leave_no_verdict(tmp_path: Path) -> None:
    command = [sys.executable, "-B", "-m", "torch.distributed.run", "--nproc-per-node=2", "--rdzv-backend=c10d"]
    command += ["--rdzv-endpoint=localhost:0", str(PAYLOAD / "fsdp_preflight.py"), "--device", "cpu"]
    env = os.environ | {"FSDP_RUN_DIR": str(tmp_path), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "nowhere0"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 1
    assert "nowhere0" in done.stderr
    assert not (tmp_path / "result.json").exists()
