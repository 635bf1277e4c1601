"""The table of exit codes, as the design states it."""

import pytest

from interfaces.cli import exits


@pytest.mark.parametrize(
    ("phase", "error_code", "expected"),
    [
        ("done", "", 0),
        ("running", "", 0),
        ("answering", "", 0),
        ("not_advised", "", 1),
        ("failed", "run_failed", 1),
        ("failed", "run_cancelled", 1),
        ("failed", "run_lost", 1),
        ("failed", "review_errors", 1),
        ("failed", "request_invalid", 2),
        ("failed", "file_unreadable", 2),
        ("failed", "run_folder_unwritable", 2),
        ("needs_input", "", 3),
        ("needs_input", "ranks_missing", 3),
        ("awaiting_approval", "", 4),
        ("declined", "", 5),
        ("failed", "content_changed", 5),
        ("failed", "approval_missing", 5),
        ("failed", "run_refused", 5),
    ],
)
def test_exit_code_of_a_thread(phase: str, error_code: str, expected: int) -> None:
    assert exits.for_thread(phase, error_code) == expected


@pytest.mark.parametrize(
    ("state", "expected"),
    [("done", 0), ("running", 0), ("failed", 1), ("cancelled", 1), ("lost", 1), ("refused", 5)],
)
def test_exit_code_of_a_run(state: str, expected: int) -> None:
    assert exits.for_run_state(state) == expected
