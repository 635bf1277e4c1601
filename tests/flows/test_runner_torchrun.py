"""Two real ranks under torchrun: which rank failed, what it said, and that none is left."""

import os
import signal

import pytest

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
    shop.until(lambda: not shop.processes())
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
