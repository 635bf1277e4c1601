"""The stop file, written by us or by hand."""

from pathlib import Path

import pytest

from runners.rundir import RunDir
from runners.stopfile import StopOrder, ask_to_stop, clear_stop, read_stop


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    (tmp_path / "cmd").mkdir()
    return RunDir(tmp_path)


def test_an_order_is_read_as_it_was_given(run: RunDir) -> None:
    assert read_stop(run) is None
    order = StopOrder(3, 1.5, 2.5, "somebody")
    ask_to_stop(run, order)
    assert read_stop(run) == order
    clear_stop(run)
    clear_stop(run)
    assert read_stop(run) is None


def test_the_first_order_stands(run: RunDir) -> None:
    ask_to_stop(run, StopOrder(1, 5.0))
    ask_to_stop(run, StopOrder(1, 500.0))
    order = read_stop(run)
    assert order is not None
    assert order.grace_s == 5.0


@pytest.mark.parametrize("content", ["", "stop", "[]", '{"attempt": "x", "grace_s": -1, "kill_after_s": "y", "by": 3}'])
def test_a_file_made_by_hand_means_whatever_runs(run: RunDir, content: str) -> None:
    run.stop.write_text(content)
    assert read_stop(run) == StopOrder(None)


@pytest.mark.parametrize("number", ["1e999", "-1", "true", "null"])
def test_a_wait_that_never_ends_cannot_be_asked_for(run: RunDir, number: str) -> None:
    run.stop.write_text(f'{{"grace_s": {number}}}')
    order = read_stop(run)
    assert order is not None
    assert 0 <= order.grace_s <= 30
