"""Every row of the crash matrix, on real ranks and with real kills."""

import pytest

from tests.flows.matrix.case import STEPS, Bits, Case
from tests.flows.matrix.rows import ROWS, Row

pytestmark = [pytest.mark.train, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.done.replace(" ", "-"))
def test_one_job_ran_and_nothing_was_lost(row: Row, case: Case, untouched: Bits) -> None:
    case.holds, case.recipe, case.watch = row.holds, row.recipe, row.watch
    row.submit(case)
    case.until_held(*row.held)
    row.do(case)
    end = case.wait()
    assert (end.state, row.reason in end.reason) == (row.first, True), f"{end.reason}\n{case.log()}"
    if row.resumed:
        case.resume()
        end = case.wait("done", "failed", "cancelled")
    assert (end.state, end.attempt, end.step) == ("done", row.starts, STEPS), f"{end.reason}\n{case.log()}"
    # what a sweep may have cut short depends on how busy the machine is
    skipped = [pair for pair in case.skipped() if not (row.swept and "no manifest" in pair[1])]
    assert [name for name, _ in skipped] == [name for name, _ in row.skipped]
    assert all(word in reason for (_, word), (_, reason) in zip(row.skipped, skipped, strict=True)), skipped
    assert case.bits() == untouched
    case.check_one_job(row.starts)
