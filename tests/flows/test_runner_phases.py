"""Crashes between two steps of the runner, and requests that race."""

import json
import os
import signal
import threading
import time

import pytest

from contracts.errors import RunnerError, WrongState
from contracts.run import RunRecord
from runners.publishing import publish
from runners.rundir import RunDir
from runners.spawn import send_supervisor
from runners.stopfile import StopOrder, ask_to_stop
from tests.job_shop import JobShop, shop

__all__ = ["shop"]

KEY = "key"


def _published(shop: JobShop, steps: int = 3) -> RunDir:
    """A run folder whose client was killed before it sent a supervisor."""
    launch = shop.trainer(steps, 0.01)
    run_id = shop.submit(launch, KEY).run_id
    shop.wait(run_id)
    shop.until_gone()
    # the folder that a submit under this key makes, made again and left there
    shop.run_dir(run_id).rename(shop.folder / "the run that found the name")
    run = RunDir(shop.run_dir(run_id))
    publish(run, launch, shop.approve(launch).model_dump(mode="json"), KEY)
    return run


def _age(run: RunDir, seconds: float) -> None:
    submission = json.loads(run.submission.read_text())
    run.submission.write_text(json.dumps(submission | {"created_at": time.time() - seconds}))


class TestClientKilledBeforeItSentASupervisor:
    def test_the_next_submit_starts_it(self, shop: JobShop) -> None:
        run = _published(shop)
        assert shop.runner.status(run.run_id).state == "submitted"
        shop.submit(shop.trainer(3, 0.01), KEY)
        record = shop.wait(run.run_id)
        assert (record.state, record.attempt) == ("done", 1)

    def test_a_cancel_ends_it_for_good(self, shop: JobShop) -> None:
        run = _published(shop)
        shop.runner.cancel(run.run_id)
        record = shop.wait(run.run_id)
        assert (record.state, record.reason) == ("cancelled", "cancelled before it was started")
        # a supervisor that a slow client sends now finds it ended
        send_supervisor(run, 1, may_start=True)
        assert shop.submit(shop.trainer(3, 0.01), KEY).state == "cancelled"
        assert not run.events.exists()

    def test_after_a_minute_it_counts_as_lost_and_can_be_closed(self, shop: JobShop) -> None:
        run = _published(shop)
        assert shop.runner.reconcile() == []  # its client may just be about to send a supervisor
        _age(run, 61)
        assert shop.runner.status(run.run_id).state == "lost"
        assert [record.run_id for record in shop.runner.reconcile()] == [run.run_id]
        shop.until(lambda: shop.journal(run.run_id)[-1]["kind"] == "end")
        assert shop.runner.status(run.run_id).state == "lost"
        assert not run.events.exists()
        shop.runner.resume(run.run_id)
        assert shop.wait(run.run_id, "done", "failed").state == "done"


def test_a_supervisor_killed_between_folder_and_start_loses_nothing(shop: JobShop) -> None:
    run = _published(shop)
    run.attempt(1).path.mkdir(parents=True)
    gone = {"pid": 2**22 - 1, "started": 1, "boot": "b"}
    entries = [{"kind": "supervisor", "attempt": 1, "process": gone, "time": 1.0}]
    entries += [{"kind": "attempt", "attempt": 1, "time": 2.0}]
    run.journal.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    assert shop.runner.status(run.run_id).state == "lost"
    shop.runner.resume(run.run_id)
    record = shop.wait(run.run_id, "done", "failed")
    assert (record.state, record.attempt) == ("done", 2)
    assert [entry["state"] for entry in shop.journal(run.run_id) if entry["kind"] == "end"] == ["lost", "done"]


def test_a_supervisor_killed_before_its_first_start_loses_nothing(shop: JobShop) -> None:
    run = _published(shop)
    gone = {"pid": 2**22 - 1, "started": 1, "boot": "b"}
    run.journal.write_text(json.dumps({"kind": "supervisor", "attempt": 1, "process": gone, "time": 1.0}) + "\n")
    assert shop.runner.status(run.run_id).state == "lost"
    shop.submit(shop.trainer(3, 0.01), KEY)
    record = shop.wait(run.run_id, "done", "failed")
    assert (record.state, record.attempt) == ("done", 1)


def test_six_racing_supervisors_start_one_job(shop: JobShop) -> None:
    run = _published(shop, 5)
    threads = [threading.Thread(target=send_supervisor, args=(run, 1), kwargs={"may_start": True}) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    record = shop.wait(run.run_id)
    assert (record.state, record.attempt) == ("done", 1)
    assert [entry["kind"] for entry in shop.journal(run.run_id)].count("attempt") == 1


def test_six_racing_resumes_start_one_job(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(40, 0.05))
    shop.until_step(run.run_id, 1)
    os.kill(shop.launcher(run.run_id), signal.SIGKILL)
    shop.wait(run.run_id)
    seen: list[RunRecord] = []
    refused: list[RunnerError] = []

    def resume() -> None:
        try:
            seen.append(shop.runner.resume(run.run_id))
        except WrongState as error:  # it came when another's had begun
            refused.append(error)

    threads = [threading.Thread(target=resume) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) + len(refused) == 6
    assert seen
    record = shop.wait(run.run_id)
    assert (record.state, record.attempt, record.step) == ("done", 2, 40)


def test_a_stop_meant_for_a_former_start_does_not_stop_the_next(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(20, 0.02))
    shop.until_step(run.run_id, 1)
    os.kill(shop.launcher(run.run_id), signal.SIGKILL)
    shop.wait(run.run_id)
    ask_to_stop(RunDir(shop.run_dir(run.run_id)), StopOrder(1))
    assert shop.runner.resume(run.run_id).attempt == 2
    assert shop.wait(run.run_id, "done", "cancelled").state == "done"


def test_a_stop_file_made_by_hand_works(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(10_000))
    shop.until_step(run.run_id, 1)
    (shop.run_dir(run.run_id) / "cmd" / "stop").touch()
    end = shop.wait(run.run_id)
    assert (end.state, end.result["status"]) == ("cancelled", "stopped")


@pytest.mark.parametrize("kind", ["train", "script"])
def test_a_job_that_need_not_know_the_stop_file_gets_sigterm_at_once(shop: JobShop, kind: str) -> None:
    from runners import LocalRunner

    program = (
        "import json, os, pathlib, signal, sys, time\n"
        "run = pathlib.Path(os.environ['FSDP_RUN_DIR'])\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(15))\n"
        "(run / 'events.jsonl').write_text(json.dumps({'kind': 'step', 'time': time.time(), 'step': 1}) + '\\n')\n"
        "while not (run / 'cmd' / 'stop').exists():\n"
        "    time.sleep(0.01)\n"
        "time.sleep(2)\n"  # a train job is given time to save; a script is not known to
        "sys.exit(16)\n"
    )
    run = shop.submit(shop.launch(program, kind=kind))
    shop.until_step(run.run_id, 1)
    LocalRunner(shop.home).cancel(run.run_id)
    end = shop.wait(run.run_id)
    assert (end.state, end.exit_code) == ("cancelled", 16 if kind == "train" else 15)
