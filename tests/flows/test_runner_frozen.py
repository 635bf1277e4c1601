"""A supervisor that stands still for a while (SIGSTOP, a debugger, a suspended machine) goes on as if nothing was."""

import os
import signal
import time

from contracts.launch import WatchLimits
from tests.job_shop import JobShop, shop

__all__ = ["shop"]

FREEZES, FROZEN_S = 8, 0.6
"""Longer than the quarter of a second in which a supervisor looks around."""


def test_a_supervisor_that_is_stopped_and_continued_stays_and_finds_no_hang(shop: JobShop) -> None:
    watch = WatchLimits(boot_s=60.0, step_s=60.0, log_s=20.0)
    run = shop.submit(shop.trainer(100_000, watch=watch))
    shop.until_step(run.run_id, 1)
    pid = shop.supervisor(run.run_id)
    for _ in range(FREEZES):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(FROZEN_S)
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.3)
    assert shop.supervisor(run.run_id) == pid
    assert shop.runner.status(run.run_id).state == "running"
    assert shop.runner.reconcile() == []  # it lives: nobody has to take over
    os.kill(pid, signal.SIGTERM)  # and it still hears
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("cancelled", 1)
    assert (shop.run_dir(run.run_id) / "supervisor.log").read_text() == ""
    assert [entry["kind"] for entry in shop.journal(run.run_id)].count("supervisor") == 1
