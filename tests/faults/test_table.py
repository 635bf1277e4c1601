"""The table is whole: each fault has its script, its fix fits what stands there, nothing is told twice."""

from pathlib import Path

import pytest

from contracts.request import Request
from engines.diagnosis.registry import cause_rules
from tests.faults.fault import SCRIPTS, Fault
from tests.faults.faults import FAULTS
from tests.faults.page import PAGE, page, seen


def test_every_script_is_of_a_fault_and_no_fault_is_there_twice() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    used = {fault.script or fault.name for fault in FAULTS if "recipe" not in fault.request}
    assert used == {path.stem for path in SCRIPTS.glob("*.py")}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_request_is_one_and_the_fix_changes_it(fault: Fault, tmp_path: Path) -> None:
    with fault.at(tmp_path) as request:
        Request.model_validate(request)
        before = (tmp_path / "train.py").read_text() if "script" in request else ""
        mended = fault.mended(request)
        Request.model_validate(mended)
        after = (tmp_path / "train.py").read_text() if "script" in request else ""
        assert fault.recoverable == (mended != request or after != before)
        compile(after, fault.name, "exec")


def test_thirty_faults_at_least_and_twelve_that_can_be_mended() -> None:
    assert len(FAULTS) >= 30
    assert sum(fault.recoverable for fault in FAULTS) >= 12


def test_every_cause_is_one_that_the_engine_knows() -> None:
    assert {fault.cause for fault in FAULTS} <= {rule.cause for rule in cause_rules()}


def test_the_page_says_what_was_seen_and_each_was_seen_rightly() -> None:
    known = seen()
    assert {name: one["cause"] for name, one in known.items()} == {fault.name: fault.cause for fault in FAULTS}
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text, known), "write it anew: python -m tests.faults.page"
