"""Runs that share one machine: they queue by what they declare, and nothing of it is lost by a kill."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from contracts.errors import RequestInvalid
from contracts.launch import LaunchResources
from contracts.run import RunRecord
from runners import LocalRunner
from runners.process import boot_id
from tests.job_shop import JobShop, variable
from tests.job_shop import shop as plain_shop

__all__ = ["plain_shop"]

PROGRAM = """\
import os, sys, time

def say(what):
    if len(sys.argv) > 2:
        os.write(log, f"{time.time()} {what} {os.environ['FSDP_RUN_ID']}\\n".encode())

if len(sys.argv) > 2:
    log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
say("in")
time.sleep(float(sys.argv[1]))
say("out")
"""
ENDLESS = "3600"


@pytest.fixture
def shop(plain_shop: JobShop) -> JobShop:
    """A shop whose jobs are stopped by a signal: they do not know of the stop file."""
    plain_shop.runner = LocalRunner(plain_shop.home, stop_grace_s=0.0, kill_after_s=20.0)
    return plain_shop


def resources(cores: int = 1, gpus: int = 0) -> LaunchResources:
    return LaunchResources(nodes=1, ranks_per_node=1, device="cpu", cores_per_node=cores, gpus_per_node=gpus)


def sleeper(shop: JobShop, seconds: str = ENDLESS, key: str = "key", **need: int) -> RunRecord:
    return shop.submit(shop.launch(PROGRAM, seconds, resources=resources(**need)), key)


def kinds(shop: JobShop, run_id: str) -> list[str]:
    return [entry["kind"] for entry in shop.journal(run_id)]


def test_twenty_at_once_never_take_more_than_there_is(shop: JobShop, tmp_path: Path) -> None:
    shop.give(cores=3)
    log = tmp_path / "log"
    holder = sleeper(shop, key="holder", cores=3)
    shop.wait(holder.run_id, "running")
    launch = shop.launch(PROGRAM, "0.2", str(log), resources=resources(cores=1))
    approval = shop.approve(launch)
    threads = [
        threading.Thread(target=shop.runner.submit, args=(launch, approval, f"job {number}")) for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    runs = [run for run in shop.runner.runs() if run.run_id != holder.run_id]
    assert len(runs) == 20
    for run in runs:
        shop.wait(run.run_id, "queued")
    shop.runner.cancel(holder.run_id)
    assert [shop.wait(run.run_id).state for run in runs] == ["done"] * 20
    moments = sorted((float(at), what, run_id) for at, what, run_id in map(str.split, log.read_text().splitlines()))
    most = running = 0
    for _, what, _ in moments:
        running += 1 if what == "in" else -1
        most = max(most, running)
    assert len(moments) == 40
    assert most <= 3


def test_what_waits_starts_in_the_order_of_submission(shop: JobShop, tmp_path: Path) -> None:
    shop.give(cores=1)
    holder = sleeper(shop, key="holder")
    shop.wait(holder.run_id, "running")
    log = tmp_path / "log"
    launch = shop.launch(PROGRAM, "0", str(log), resources=resources())
    runs = [shop.submit(launch, f"job {number}") for number in range(6)]
    for run in runs:
        shop.wait(run.run_id, "queued")
    shop.runner.cancel(holder.run_id)
    assert [shop.wait(run.run_id).state for run in runs] == ["done"] * 6
    begun = [line.split()[2] for line in log.read_text().splitlines() if " in " in line]
    assert begun == [run.run_id for run in runs]


def test_what_is_waited_for_is_told_and_a_queued_run_can_be_cancelled(shop: JobShop) -> None:
    shop.give(cores=2)
    first = sleeper(shop, key="first", cores=2)
    shop.wait(first.run_id, "running")
    second = sleeper(shop, key="second", cores=1)
    third = sleeper(shop, key="third", cores=1)
    waiting = shop.until(lambda: shop.runner.status(second.run_id), lambda record: record.reason)
    assert (waiting.state, waiting.attempt) == ("queued", 0)
    assert waiting.reason == f"waits for 1 of 2 cores (0 free); held by {first.run_id}"
    behind = shop.until(lambda: shop.runner.status(third.run_id), lambda record: "before it" in record.reason)
    assert behind.reason.endswith("; 1 before it in the queue")
    assert "queued" in kinds(shop, second.run_id)
    shop.runner.cancel(second.run_id)
    end = shop.wait(second.run_id)
    assert (end.state, end.reason) == ("cancelled", "cancelled before it was started")
    assert not (shop.run_dir(second.run_id) / "queue.json").exists()
    shop.until(lambda: shop.runner.status(third.run_id), lambda record: "before it" not in record.reason)
    shop.runner.cancel(first.run_id)
    shop.wait(third.run_id, "running")
    shop.runner.cancel(third.run_id)
    assert shop.wait(third.run_id).attempt == 1


def test_a_small_run_overtakes_only_where_the_one_before_it_misses_nothing(shop: JobShop) -> None:
    shop.give(cores=4)
    holder = sleeper(shop, key="holder", cores=2)
    shop.wait(holder.run_id, "running")
    large = sleeper(shop, key="large", cores=3)
    shop.wait(large.run_id, "queued")
    small = sleeper(shop, key="small", cores=1)
    # 2 are free, but all of them will be the large one's
    shop.wait(small.run_id, "queued")
    free = sleeper(shop, "0", key="free", cores=0)
    assert shop.wait(free.run_id).state == "done"
    shop.runner.cancel(holder.run_id)
    shop.wait(large.run_id, "running")
    shop.wait(small.run_id, "running")
    for run in (large, small):
        shop.runner.cancel(run.run_id)
        shop.wait(run.run_id)


def test_gpus_are_handed_out_by_name_and_each_to_one_run(shop: JobShop) -> None:
    shop.give(cores=64, gpus=3)
    one = sleeper(shop, key="one", gpus=1)
    shop.wait(one.run_id, "running")
    two = sleeper(shop, key="two", gpus=2)
    shop.wait(two.run_id, "running")
    three = sleeper(shop, key="three", gpus=1)
    waiting = shop.until(lambda: shop.runner.status(three.run_id), lambda record: record.state == "queued")
    waiting = shop.until(lambda: shop.runner.status(three.run_id), lambda record: record.reason)
    assert waiting.reason == f"waits for 1 of 3 GPUs (0 free); held by {one.run_id}, {two.run_id}"
    seen = {run.run_id: variable(shop.launcher(run.run_id), "CUDA_VISIBLE_DEVICES") for run in (one, two)}
    assert seen == {one.run_id: "0", two.run_id: "1,2"}
    assert [e["gpus"] for e in shop.journal(two.run_id) if e["kind"] == "attempt"] == [["1", "2"]]
    shop.runner.cancel(two.run_id)
    shop.wait(three.run_id, "running")
    assert variable(shop.launcher(three.run_id), "CUDA_VISIBLE_DEVICES") == "1"
    for run in (one, three):
        shop.runner.cancel(run.run_id)
        shop.wait(run.run_id)


@pytest.mark.slow
def test_an_approved_choice_of_gpus_narrows_what_is_handed_out(shop: JobShop) -> None:
    shop.give(cores=64, gpus=4)
    launch = shop.launch(PROGRAM, ENDLESS, resources=resources(gpus=1), env={"CUDA_VISIBLE_DEVICES": "3,1"})
    runs = [shop.submit(launch, key) for key in ("a", "b", "c")]
    shop.wait(runs[0].run_id, "running")
    shop.wait(runs[1].run_id, "running")
    assert {variable(shop.launcher(run.run_id), "CUDA_VISIBLE_DEVICES") for run in runs[:2]} == {"3", "1"}
    shop.wait(runs[2].run_id, "queued")
    for run in reversed(runs):
        shop.runner.cancel(run.run_id)
        shop.wait(run.run_id)


def test_more_gpus_than_there_are_end_the_run_with_the_reason(shop: JobShop) -> None:
    shop.give(cores=1, gpus=2)
    end = shop.wait(sleeper(shop, gpus=3).run_id)
    assert end.state == "failed"
    assert end.reason == "the job cannot be started: it takes 3 GPUs, and this machine gives 2"


def test_more_cores_than_there_are_run_alone(shop: JobShop) -> None:
    shop.give(cores=2)
    wide = sleeper(shop, key="wide", cores=16)
    shop.wait(wide.run_id, "running")
    shop.wait(sleeper(shop, "0", key="other").run_id, "queued")
    shop.runner.cancel(wide.run_id)
    assert {shop.wait(run.run_id).state for run in shop.runner.runs()} == {"cancelled", "done"}


def test_a_slip_in_the_owners_file_is_told_at_submission(shop: JobShop) -> None:
    shop.home.machine.write_text("cores = 'all'\n")
    with pytest.raises(RequestInvalid, match="cores must be a whole number"):
        sleeper(shop)
    assert not list(shop.runner.runs())


@pytest.mark.slow
def test_a_holder_that_is_killed_frees_its_room_but_not_while_its_job_lives(shop: JobShop) -> None:
    shop.give(cores=1)
    first = sleeper(shop, key="first")
    job = shop.launcher(first.run_id)
    shop.wait(first.run_id, "running")
    second = sleeper(shop, "0", key="second")
    shop.wait(second.run_id, "queued")
    os.kill(shop.supervisor(first.run_id), signal.SIGKILL)
    shop.until(lambda: not alive(shop.supervisor(first.run_id)))
    time.sleep(7)  # longer than the queue looks for dead holders
    assert shop.runner.status(second.run_id).state == "queued"
    for pid in (shop.shim(first.run_id), job):
        os.kill(pid, signal.SIGKILL)
    assert shop.wait(second.run_id).state == "done"


@pytest.mark.slow
def test_an_adopted_job_holds_on(shop: JobShop) -> None:
    shop.give(cores=1)
    first = sleeper(shop, key="first")
    shop.wait(first.run_id, "running")
    os.kill(shop.supervisor(first.run_id), signal.SIGKILL)
    shop.until(lambda: not alive(shop.supervisor(first.run_id)))
    (shop.home.slots / boot_id() / f"{first.run_id}.json").unlink()  # even where the ledger forgot it
    shop.runner.reconcile()
    second = sleeper(shop, "0", key="second")
    shop.wait(second.run_id, "queued")
    shop.runner.cancel(first.run_id)
    assert shop.wait(second.run_id).state == "done"


def test_a_queued_run_whose_supervisor_is_killed_waits_on_after_reconcile(shop: JobShop) -> None:
    shop.give(cores=1)
    first = sleeper(shop, key="first")
    shop.wait(first.run_id, "running")
    second = sleeper(shop, "0.5", key="second")
    shop.wait(second.run_id, "queued")
    third = sleeper(shop, "0.5", key="third")
    shop.wait(third.run_id, "queued")
    os.kill(shop.supervisor(second.run_id), signal.SIGKILL)
    gone = shop.until(
        lambda: shop.runner.status(second.run_id), lambda record: "its supervisor is gone" in record.reason
    )
    assert gone.state == "queued"
    assert [record.run_id for record in shop.runner.reconcile()] == [second.run_id]
    shop.runner.cancel(first.run_id)
    ends = [shop.wait(run.run_id) for run in (second, third)]
    assert [end.state for end in ends] == ["done", "done"]
    begun = [next(e["time"] for e in shop.journal(run.run_id) if e["kind"] == "attempt") for run in (second, third)]
    assert begun[0] < begun[1]  # it kept its place


@pytest.mark.slow
def test_a_queued_run_whose_supervisor_is_killed_can_be_cancelled(shop: JobShop) -> None:
    shop.give(cores=1)
    first = sleeper(shop, key="first")
    shop.wait(first.run_id, "running")
    second = sleeper(shop, key="second")
    shop.wait(second.run_id, "queued")
    os.kill(shop.supervisor(second.run_id), signal.SIGKILL)
    shop.until(lambda: not alive(shop.supervisor(second.run_id)))
    shop.runner.cancel(second.run_id)
    assert shop.wait(second.run_id).state == "cancelled"
    shop.runner.cancel(first.run_id)
    shop.wait(first.run_id)


def test_a_resume_queues_too_and_a_file_changed_meanwhile_is_refused(shop: JobShop) -> None:
    shop.give(cores=1)
    first = sleeper(shop, key="first")
    shop.wait(first.run_id, "running")
    shop.runner.cancel(first.run_id)
    shop.wait(first.run_id)
    second = sleeper(shop, key="second")
    shop.wait(second.run_id, "running")
    script = shop.folder / "bundle" / "job.py"
    assert shop.runner.resume(first.run_id).state in ("queued", "starting")
    queued = shop.wait(first.run_id, "queued")
    assert queued.attempt == 1
    script.write_text("print('something else')\n")
    shop.runner.cancel(second.run_id)
    assert shop.wait(first.run_id, "refused").attempt == 1


def alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
