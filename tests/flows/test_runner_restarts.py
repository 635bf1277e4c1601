"""Restarts by policy: what is restarted, what is not, and what stops a restart."""

import os
import signal
import time

import pytest

from contracts.launch import RestartPolicy
from contracts.run import TERMINAL_STATES
from tests.job_shop import TRAINER, JobShop, shop

__all__ = ["shop"]

AT_ONCE = {"max_restarts": 3, "backoff_s": 0.0}

FAILS_AT_STEP = """\
import json, os, pathlib, sys, time
run, attempt = pathlib.Path(os.environ["FSDP_RUN_DIR"]), int(os.environ["FSDP_ATTEMPT"])
steps, words = sys.argv[1].split(","), sys.argv[2]
with open(run / "events.jsonl", "a") as log:
    step = int(steps[min(attempt, len(steps)) - 1])
    log.write(json.dumps({"kind": "step", "time": time.time(), "attempt": attempt, "step": step}) + "\\n")
raise RuntimeError(words + " on attempt %d" % attempt)
"""

TWO_RANKS = """\
import os, subprocess, sys, time
if "RANK" not in os.environ:
    ranks = [subprocess.Popen([sys.executable, *sys.argv], env=os.environ | {"RANK": str(r)}) for r in (0, 1)]
    while ranks and not any(rank.poll() for rank in ranks):
        ranks = [rank for rank in ranks if rank.poll() is None]
        time.sleep(0.05)
    for rank in ranks:
        rank.kill()
    sys.exit(1 if ranks else 0)
"""


def _policy(**fields: object) -> RestartPolicy:
    return RestartPolicy.model_validate(AT_ONCE | fields)


def _decisions(shop: JobShop, run_id: str) -> list[tuple[str, str]]:
    return [
        (entry["kind"], entry["reason"]) for entry in shop.journal(run_id) if entry["kind"] in ("restart", "give_up")
    ]


def test_a_killed_job_is_restarted_and_finishes(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(12, kind="train", restart=_policy(max_restarts=1)))
    shop.until_step(run.run_id, 2)
    os.kill(shop.launcher(run.run_id), signal.SIGKILL)
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 2, 12)
    [(kind, reason)] = _decisions(shop, run.run_id)
    assert (kind, reason) == ("restart", "restart 1 of 1 after: the launcher killed by SIGKILL")
    assert [event.attempt for event in shop.runner.events(run.run_id).events if event.kind == "resume"] == [2]


def test_a_killed_rank_is_restarted_from_its_checkpoint(shop: JobShop) -> None:
    run = shop.submit(shop.launch(TWO_RANKS + TRAINER, "80", "0.05", restart=_policy(max_restarts=1)))
    shop.until_step(run.run_id, 3)
    os.kill(shop.rank_pid(run.run_id, 1), signal.SIGKILL)
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt, end.step) == ("done", 2, 80)
    [resumed] = [event for event in shop.runner.events(run.run_id).events if event.kind == "resume"]
    assert resumed.attempt == 2
    assert (resumed.step or 0) >= 2


def test_nobody_takes_a_failure_that_is_restarted_for_the_end(shop: JobShop) -> None:
    run = shop.submit(shop.launch(FAILS_AT_STEP, "1,2,3", "boom", restart=_policy(backoff_s=0.2)))
    seen = set()
    while (record := shop.runner.status(run.run_id)).attempt < 3:
        seen.add(record.state)
        time.sleep(0.01)
    assert seen <= {"submitted", "starting", "running"}
    shop.wait(run.run_id)


def test_the_same_error_at_the_same_step_ends_it_early(shop: JobShop) -> None:
    run = shop.submit(shop.launch(FAILS_AT_STEP, "4,7,7", "bad example", restart=_policy(max_restarts=9)))
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("failed", 3)
    assert "RuntimeError: bad example on attempt 3" in end.reason
    assert "not restarted: the same error came again at the same place, step 7" in end.reason
    assert [kind for kind, _ in _decisions(shop, run.run_id)] == ["restart", "restart", "give_up"]


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import sys; sys.exit(2)", "exited with 2"),
        ("import no_such_module_anywhere", "ModuleNotFoundError"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "somebody asked it to end"),
    ],
)
def test_what_cannot_succeed_is_not_restarted(shop: JobShop, program: str, words: str) -> None:
    run = shop.submit(shop.launch(program, restart=_policy()))
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("failed", 1)
    [(kind, reason)] = _decisions(shop, run.run_id)
    assert kind == "give_up"
    assert words in reason


def test_the_budget_of_restarts_and_a_new_one_for_a_resume(shop: JobShop) -> None:
    run = shop.submit(shop.launch(FAILS_AT_STEP, "1,2,3,4,5", "boom", restart=_policy(max_restarts=1)))
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("failed", 2)
    assert "all restarts are used up (1 of 1)" in end.reason
    shop.runner.resume(run.run_id)
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("failed", 4)


def test_the_budget_of_time(shop: JobShop) -> None:
    policy = _policy(backoff_s=30.0, give_up_after_s=20.0)
    run = shop.submit(shop.launch(FAILS_AT_STEP, "1,2,3", "boom", restart=policy))
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("failed", 1)
    assert "limit 20 s" in end.reason


def test_a_cancel_ends_the_back_off(shop: JobShop) -> None:
    run = shop.submit(shop.launch(FAILS_AT_STEP, "1,2", "boom", restart=_policy(backoff_s=500.0)))
    shop.until(lambda: _decisions(shop, run.run_id))
    assert shop.runner.status(run.run_id).state in ("starting", "running")
    shop.runner.cancel(run.run_id)
    end = shop.wait(run.run_id)
    assert end.state == "cancelled"
    assert not (shop.run_dir(run.run_id) / "attempts" / "0002").exists()


def test_sigterm_to_the_supervisor_ends_the_back_off(shop: JobShop) -> None:
    run = shop.submit(shop.launch(FAILS_AT_STEP, "1,2", "boom", restart=_policy(backoff_s=500.0)))
    shop.until(lambda: _decisions(shop, run.run_id))
    os.kill(shop.supervisor(run.run_id), signal.SIGTERM)
    assert shop.wait(run.run_id).state == "cancelled"


def test_the_approval_is_verified_before_each_restart(shop: JobShop) -> None:
    launch = shop.launch(FAILS_AT_STEP, "1,2,3", "boom", restart=_policy(backoff_s=1.5))
    run = shop.submit(launch)
    shop.until(lambda: _decisions(shop, run.run_id))
    script = shop.folder / "bundle" / "job.py"
    script.write_text(script.read_text() + "# other bytes")
    end = shop.wait(run.run_id)
    assert (end.state, end.attempt) == ("refused", 1)
    assert "job.py" in end.reason


def test_an_adopted_job_is_restarted_as_well(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(40, restart=_policy(max_restarts=1)))
    shop.until_step(run.run_id, 1)
    os.kill(shop.supervisor(run.run_id), signal.SIGKILL)
    shop.until(shop.runner.reconcile)  # as soon as it is seen to be dead
    os.kill(shop.launcher(run.run_id), signal.SIGKILL)
    end = shop.wait(run.run_id, "done")
    assert (end.attempt, end.step) == (2, 40)


def test_a_supervisor_that_was_killed_in_the_back_off_leaves_a_failure_to_resume(shop: JobShop) -> None:
    run = shop.submit(shop.launch(FAILS_AT_STEP, "1,2", "boom", restart=_policy(backoff_s=500.0, max_restarts=1)))
    shop.until(lambda: shop.journal(run.run_id)[-1]["kind"] == "end")
    os.kill(shop.supervisor(run.run_id), signal.SIGKILL)
    shop.until_gone()
    assert shop.runner.reconcile() == []
    assert shop.runner.status(run.run_id).state == "failed"
    shop.runner.resume(run.run_id)
    shop.until(lambda: len(_decisions(shop, run.run_id)) == 2)
    shop.runner.cancel(run.run_id)
    assert shop.wait(run.run_id).state == "cancelled"


def test_what_is_not_restarted_is_handed_over_with_its_evidence(shop: JobShop) -> None:
    run = shop.submit(shop.launch(FAILS_AT_STEP, "4,7,7", "out of memory:", restart=_policy(max_restarts=9)))
    end = shop.wait(run.run_id)
    handover = end.handover
    assert handover is not None
    assert [(start.attempt, start.place) for start in handover.starts] == [(1, "step 4"), (2, "step 7"), (3, "step 7")]
    assert {start.error for start in handover.starts} == {"the launcher ran out of memory"}
    assert handover.reason == "the same error came again at the same place, step 7"
    logs = [(shop.run_dir(run.run_id) / name).read_text() for name in handover.evidence]
    assert any("RuntimeError: out of memory: on attempt 3" in log for log in logs)


def test_a_run_that_goes_on_has_handed_nothing_over(shop: JobShop) -> None:
    run = shop.submit(shop.launch(FAILS_AT_STEP, "1,2", "boom", restart=_policy(max_restarts=0)))
    assert shop.wait(run.run_id).handover is not None
    shop.runner.resume(run.run_id)
    while (record := shop.runner.status(run.run_id)).state not in TERMINAL_STATES:
        assert record.handover is None
        time.sleep(0.01)
    assert record.handover is not None
    assert [start.attempt for start in record.handover.starts] == [2]
