"""Real kills of each process in turn: the record stays true, and nothing is left over."""

import os
import signal
import subprocess
import sys
import time

import pytest

from runners import LocalRunner
from tests.job_shop import JobShop, shop

__all__ = ["shop"]

ENDLESS = 10_000


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


class TestSupervisor:
    def test_killed_the_job_goes_on_and_its_end_is_known(self, shop: JobShop) -> None:
        run = shop.submit(shop.trainer(20, 0.1))
        shop.until_step(run.run_id, 1)
        _kill(shop.supervisor(run.run_id))
        shop.until(lambda: shop.supervisor(run.run_id) not in shop.processes())
        alone = shop.runner.status(run.run_id)
        assert (alone.state, "fsdp-agent reconcile" in alone.reason) == ("running", True)
        end = shop.wait(run.run_id)
        assert (end.state, end.exit_code, end.step, end.attempt) == ("done", 0, 20, 1)
        assert shop.journal(run.run_id)[-1]["kind"] != "end"
        # a new supervisor writes down what the client had to work out
        assert [record.run_id for record in shop.runner.reconcile()] == [run.run_id]
        shop.until(lambda: shop.journal(run.run_id)[-1]["kind"] == "end")
        closed = shop.runner.status(run.run_id)
        assert (closed.state, closed.exit_code, closed.attempt) == ("done", 0, 1)
        assert shop.runner.reconcile() == []

    def test_killed_then_reconciled_the_running_job_is_adopted(self, shop: JobShop) -> None:
        run = shop.submit(shop.trainer(20, 0.1))
        shop.until_step(run.run_id, 1)
        first = shop.supervisor(run.run_id)
        _kill(first)
        shop.until(lambda: first not in shop.processes())
        assert [record.state for record in shop.runner.reconcile()] == ["running"]
        assert shop.supervisor(run.run_id) != first
        assert shop.runner.status(run.run_id).reason == ""
        end = shop.wait(run.run_id)
        assert (end.state, end.step, end.attempt) == ("done", 20, 1)
        assert shop.journal(run.run_id)[-1]["kind"] == "end"

    def test_killed_the_job_can_still_be_cancelled(self, shop: JobShop) -> None:
        run = shop.submit(shop.trainer(ENDLESS))
        shop.until_step(run.run_id, 1)
        _kill(shop.supervisor(run.run_id))
        shop.runner.cancel(run.run_id)
        end = shop.wait(run.run_id)
        assert (end.state, end.result["status"]) == ("cancelled", "stopped")

    def test_told_to_end_it_stops_the_job_first(self, shop: JobShop) -> None:
        run = shop.submit(shop.trainer(ENDLESS))
        shop.until_step(run.run_id, 1)
        os.kill(shop.supervisor(run.run_id), signal.SIGTERM)
        end = shop.wait(run.run_id)
        assert (end.state, end.result["status"]) == ("cancelled", "stopped")

    @pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT])
    def test_other_signals_do_nothing(self, shop: JobShop, number: signal.Signals) -> None:
        run = shop.submit(shop.trainer(10))
        os.kill(shop.supervisor(run.run_id), number)
        end = shop.wait(run.run_id)
        assert end.state == "done"
        assert [entry["kind"] for entry in shop.journal(run.run_id)].count("supervisor") == 1


def test_a_killed_client_leaves_the_job_running(shop: JobShop) -> None:
    launch = shop.trainer(40)
    approval = shop.approve(launch)
    client = (
        "import sys, time\n"
        "from contracts.approval import Approval\n"
        "from contracts.launch import LaunchRequest\n"
        "from runners import Home, LocalRunner\n"
        "home, launch, approval = sys.argv[1:]\n"
        "runner = LocalRunner(Home(home))\n"
        "run = runner.submit(LaunchRequest.model_validate_json(launch),"
        " Approval.model_validate_json(approval), 'key')\n"
        "print(run.run_id, flush=True)\n"
        "time.sleep(600)\n"
    )
    arguments = [str(shop.home.root), launch.model_dump_json(), approval.model_dump_json()]
    with subprocess.Popen(
        [sys.executable, "-c", client, *arguments], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        run_id = process.stdout.readline().strip()
        shop.until_step(run_id, 1)
        os.killpg(process.pid, signal.SIGKILL)
    assert shop.runner.status(run_id).state == "running"
    assert shop.submit(launch).run_id == run_id
    end = shop.wait(run_id)
    assert (end.state, end.step, end.attempt) == ("done", 40, 1)


class TestShim:
    def test_killed_the_exit_status_still_arrives(self, shop: JobShop) -> None:
        run = shop.submit(shop.launch("import sys, time; time.sleep(1.5); sys.exit(7)"))
        shop.launcher(run.run_id)
        _kill(shop.shim(run.run_id))
        end = shop.wait(run.run_id)
        assert (end.state, end.exit_code) == ("failed", 7)

    def test_told_to_end_it_does_not_leave_its_job(self, shop: JobShop) -> None:
        run = shop.submit(shop.launch("import sys, time; time.sleep(1); sys.exit(7)"))
        shop.launcher(run.run_id)
        os.kill(shop.shim(run.run_id), signal.SIGTERM)
        end = shop.wait(run.run_id)
        assert (end.state, end.exit_code) == ("failed", 7)


class TestEverything:
    def test_killed_at_once_the_run_is_lost_and_can_go_on(self, shop: JobShop) -> None:
        run = shop.submit(shop.trainer(30))
        shop.until_step(run.run_id, 2)
        for pid in (shop.supervisor(run.run_id), shop.shim(run.run_id), shop.launcher(run.run_id)):
            _kill(pid)
        shop.until_gone()
        record = shop.runner.status(run.run_id)
        assert (record.state, record.exit_code) == ("lost", None)
        assert record.ended_at is not None
        shop.runner.resume(run.run_id)
        end = shop.wait(run.run_id)
        assert (end.state, end.attempt, end.step) == ("done", 2, 30)
        assert [e["state"] for e in shop.journal(run.run_id) if e["kind"] == "end"] == ["lost", "done"]

    def test_a_run_of_another_boot_is_lost_even_if_its_pids_live(self, shop: JobShop) -> None:
        run = shop.submit(shop.trainer(1, 0.0))
        shop.wait(run.run_id)
        shop.until_gone()
        folder = shop.run_dir(run.run_id)
        # pids of this very test, seen from before a reboot
        stranger = {"pid": os.getpid(), "started": 1, "boot": "of-another-boot"}
        lines = [
            '{"kind": "supervisor", "time": 1.0, "attempt": 1, "process": %s}',
            '{"kind": "attempt", "time": 2.0, "attempt": 1}',
            '{"kind": "started", "time": 3.0, "attempt": 1, "process": %s}',
        ]
        text = "\n".join(lines).replace("%s", str(stranger).replace("'", '"')) + "\n"
        (folder / "journal.jsonl").write_text(text)
        (folder / "attempts" / "0001" / "rc").unlink()
        (folder / "result.json").unlink()
        assert shop.runner.status(run.run_id).state == "lost"
        assert [record.run_id for record in shop.runner.reconcile()] == [run.run_id]
        shop.until(lambda: shop.journal(run.run_id)[-1]["kind"] == "end")
        assert shop.runner.status(run.run_id).state == "lost"


class TestStubbornJobs:
    def test_deaf_to_stop_file_and_sigterm_it_is_killed(self, shop: JobShop) -> None:
        shop.runner = LocalRunner(shop.home, stop_grace_s=0.3, kill_after_s=0.3)
        run = shop.submit(shop.trainer(ENDLESS, 0.05, "deaf"))
        shop.until_step(run.run_id, 1)
        shop.runner.cancel(run.run_id)
        end = shop.wait(run.run_id)
        assert (end.state, end.exit_code) == ("cancelled", -signal.SIGKILL)
        assert "SIGKILL" in end.reason
        steps = [entry["step"] for entry in shop.journal(run.run_id) if entry["kind"] == "stopping"]
        assert steps == ["asked", "term", "kill"]

    def test_children_that_fled_are_found(self, shop: JobShop) -> None:
        # Each child leaves its parent, its session, or its environment.
        program = (
            "import os, subprocess, sys, time\n"
            "sleep = [sys.executable, '-c', 'import signal, time\\n"
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\\ntime.sleep(600)']\n"
            "subprocess.Popen(sleep, start_new_session=True)\n"
            "subprocess.Popen(sleep, start_new_session=True, env={})\n"
            "if os.fork() == 0:\n"
            "    os.setsid()\n"
            "    if os.fork() == 0:\n"
            "        os.execv(sleep[0], sleep)\n"
            "    os._exit(0)\n"
            "time.sleep(1)\n"
        )
        run = shop.submit(shop.launch(program))
        launcher = shop.launcher(run.run_id)
        fled = shop.until(lambda: _descendants(shop.supervisor(run.run_id)) - {launcher}, lambda found: len(found) >= 4)
        end = shop.wait(run.run_id)
        assert end.state == "done"
        assert shop.journal(run.run_id)[-1]["swept"] >= 3
        assert not [pid for pid in fled if _alive(pid)]


def _descendants(pid: int) -> set[int]:
    import psutil

    try:
        return {child.pid for child in psutil.Process(pid).children(recursive=True)}
    except psutil.NoSuchProcess:
        return set()


def _alive(pid: int) -> bool:
    import psutil

    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_two_jobs_at_once_do_not_disturb_each_other(shop: JobShop) -> None:
    one, two = shop.submit(shop.trainer(ENDLESS), "one"), shop.submit(shop.trainer(20), "two")
    shop.until_step(one.run_id, 1)
    shop.until_step(two.run_id, 1)
    _kill(shop.launcher(one.run_id))
    assert shop.wait(one.run_id).state == "failed"
    assert shop.wait(two.run_id).state == "done"


def test_the_supervisor_is_small_and_idle(shop: JobShop) -> None:
    import psutil

    run = shop.submit(shop.trainer(ENDLESS))
    shop.until_step(run.run_id, 1)
    supervisor, shim = psutil.Process(shop.supervisor(run.run_id)), psutil.Process(shop.shim(run.run_id))
    before = supervisor.cpu_times()
    began = time.monotonic()
    time.sleep(2.0)
    used = sum(supervisor.cpu_times()[:2]) - sum(before[:2])
    assert supervisor.memory_info().rss < 40e6
    assert shim.memory_info().rss < 40e6
    # half a percent of a core, and one clock tick (10 ms) that the measure is off by
    assert used <= 0.005 * (time.monotonic() - began) + 0.01
    shop.runner.cancel(run.run_id)
    shop.wait(run.run_id)
