"""Two real ranks under torchrun: which rank failed, what it said, and that none is left."""

import os
import signal
from pathlib import Path

import pytest

import runners
from contracts.launch import WatchLimits
from tests.job_shop import JobShop, shop

__all__ = ["shop"]
pytestmark = pytest.mark.train

ENDLESS = 10_000


def test_a_killed_rank_is_named_and_the_run_goes_on_from_its_checkpoint(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(60, ranks=2))
    shop.until_step(run.run_id, 2)
    os.kill(shop.rank_pid(run.run_id, 1), signal.SIGKILL)
    end = shop.wait(run.run_id)
    assert (end.state, end.exit_code, end.reason) == ("failed", 1, "rank 1 killed by SIGKILL")
    shop.until_gone()
    shop.runner.resume(run.run_id)
    done = shop.wait(run.run_id)
    assert (done.state, done.attempt, done.step, done.exit_code) == ("done", 2, 60, 0)
    assert [event.attempt for event in shop.runner.events(run.run_id).events if event.kind == "resume"] == [2]


def test_a_rank_that_raises_is_quoted_and_the_logs_name_the_ranks(shop: JobShop) -> None:
    program = (
        "import os, sys, time\n"
        "rank = int(os.environ['RANK'])\n"
        "print('\\x1b[32mhello\\x1b[0m from', rank, flush=True)\n"
        "if rank == 1:\n"
        "    time.sleep(0.5)\n"
        "    raise RuntimeError('boom on a rank')\n"
        "time.sleep(60)\n"
    )
    run = shop.submit(shop.launch(program, ranks=2))
    end = shop.wait(run.run_id)
    assert end.state == "failed"
    assert end.reason == "rank 1 exited with 1: RuntimeError: boom on a rank"
    log = shop.runner.logs(run.run_id)
    assert "[rank 0] hello from 0\n" in log
    assert "[rank 1] hello from 1\n" in log
    assert "[rank 1 stderr] RuntimeError: boom on a rank\n" in log
    assert "[launcher] " in log
    only = shop.runner.logs(run.run_id, rank=1)
    assert only.startswith("hello from 1\n")
    assert "hello from 0" not in only
    assert shop.runner.logs(run.run_id, rank=7) == ""


def test_a_killed_torchrun_leaves_no_rank(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(ENDLESS, ranks=2))
    shop.until_step(run.run_id, 1)
    ranks = [shop.rank_pid(run.run_id, rank) for rank in (0, 1)]
    os.kill(shop.launcher(run.run_id), signal.SIGKILL)
    end = shop.wait(run.run_id)
    assert (end.state, end.exit_code, end.reason) == ("failed", -9, "the launcher killed by SIGKILL")
    assert not set(ranks) & set(shop.processes())


def test_ranks_that_lost_everyone_above_them_still_run_and_are_adopted(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(80, ranks=2))
    shop.until_step(run.run_id, 1)
    for pid in (shop.supervisor(run.run_id), shop.shim(run.run_id), shop.launcher(run.run_id)):
        os.kill(pid, signal.SIGKILL)
    shop.until(lambda: len(shop.processes()) == 2)
    assert shop.runner.status(run.run_id).state == "running"
    assert [record.state for record in shop.runner.reconcile()] == ["running"]
    end = shop.wait(run.run_id)
    # nobody saw the launcher's exit status; the job's own word is enough
    assert (end.state, end.exit_code, end.step) == ("done", None, 80)


def test_a_rank_that_leaves_the_others_waiting_is_found_with_its_stacks_and_flight_record(shop: JobShop) -> None:
    payload = Path(runners.__file__).parent / "payload"
    program = (
        "import os, pathlib, sys, time\n"
        f"sys.path.insert(0, {str(payload)!r})\n"
        "from fsdp_sft_rundir import RunDir\n"
        "from fsdp_sft_stacks import offer_evidence\n"
        "run, rank = pathlib.Path(os.environ['FSDP_RUN_DIR']), int(os.environ['RANK'])\n"
        "rundir = RunDir(run, rank, 1)\n"
        "offer_evidence(run / 'attempts' / '0001' / 'diag', rank)\n"
        "import torch, torch.distributed as dist\n"
        "dist.init_process_group('gloo')\n"
        "def left_alone():\n"
        "    time.sleep(600)\n"
        "for step in range(100):\n"
        "    with rundir.phase('step', step):\n"
        "        time.sleep(0.2)\n"
        "        if rank == 1 and step == 8:\n"
        "            left_alone()\n"
        "        dist.all_reduce(torch.ones(1))\n"
    )
    watch = WatchLimits(boot_s=60.0, step_s=3.0, factor=1.5)
    env = {"OMP_NUM_THREADS": "1", "TORCH_FR_BUFFER_SIZE": "100"}
    run = shop.submit(shop.launch(program, ranks=2, kind="train", watch=watch, env=env))
    end = shop.wait(run.run_id)
    assert end.state == "failed"
    assert end.reason.startswith("hung: rank ")
    diag = shop.run_dir(run.run_id) / "attempts" / "0001" / "diag"
    assert "left_alone" in (diag / "stack-1.txt").read_text()
    # the other rank is blocked in C: its interpreter cannot answer, its stack is there all the same
    assert "all_reduce" in (diag / "stack-0.txt").read_text()
    assert b"all_reduce" in (diag / "flight_rank_0").read_bytes()
    assert (diag / "flight_rank_1").exists()
