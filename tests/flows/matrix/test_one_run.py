"""One kill of each kind on a single run: five starts, and the same bits as one that nobody touched."""

import pytest

from tests.flows.matrix import harm, kills
from tests.flows.matrix.case import STEPS, Bits, Case

pytestmark = [pytest.mark.train, pytest.mark.timeout(900)]

STOP_LIMIT_S = 5.0
"""From the step boundary at which a stop is seen to the whole checkpoint."""


def test_a_run_that_everything_happens_to_ends_as_one_that_nothing_happens_to(case: Case, untouched: Bits) -> None:
    case.holds = ("1=step:6", "2=save:8", "3=step:7", "4=step:11")
    case.submit()

    # the supervisor: the job goes on and is adopted; then shim and rank: nobody knows how it ended
    case.until_held(0, 1)
    case.kill("supervisor")
    case.adopt()
    case.kill("shim")
    case.kill("rank 1")

    # in a save, everything at once: lost, and resumed by a person
    case.until_held(0, at="2=save:8")
    case.kill(*kills.EVERYONE)
    lost = case.wait()
    assert (lost.state, lost.attempt, lost.exit_code) == ("lost", 2, None)
    case.resume()

    # torchrun: its orphans are swept, and it is restarted; the half-written checkpoint was passed over
    case.until_held(0, 1, at="3=step:7")
    assert case.skipped() == [("step-00000008", "no manifest: the save was not finished")]
    case.kill("torchrun")

    # a cancel: saved within 5 s of the next step boundary
    case.until_held(0, 1, at="4=step:11")
    case.shop.runner.cancel(case.run_id)
    stopped = case.wait()
    assert (stopped.state, stopped.result["status"], stopped.result["steps"]) == ("cancelled", "stopped", 11)
    boundary, saved = case.events("step")[-1], case.events("checkpoint")[-1]
    assert (boundary["step"], saved["step"]) == (11, 11)
    assert 0 <= saved["time"] - boundary["time"] <= STOP_LIMIT_S

    # what it saved goes bad: named, and the one before it is taken
    harm.flip(case.folder / "ckpt" / "step-00000011" / "__1_0.distcp")
    case.resume()
    end = case.wait("done", "failed")
    assert (end.state, end.attempt, end.step) == ("done", 5, STEPS), f"{end.reason}\n{case.log()}"
    assert case.skipped() == [("step-00000011", "__1_0.distcp differs from its SHA-256")]
    assert case.bits() == untouched
    case.check_one_job(5)
