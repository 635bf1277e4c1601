"""The list of runs in a wide terminal, in a narrow one, and in a pipe."""

from contracts.run import RunRecord
from interfaces.cli.jobs_text import run_lines

REASON = "rank 1 exited with 1: RuntimeError: the data of this rank ran out before that of the others"


def record(reason: str) -> RunRecord:
    return RunRecord(
        run_id="r-0123456789ab",
        key="k",
        launch_hash="0" * 64,
        kind="train",
        state="failed",
        run_dir="/nowhere",
        attempt=1,
        created_at=1_000_000_000.0,
        reason=reason,
    )


def test_in_a_pipe_a_run_is_one_whole_line() -> None:
    header, line = run_lines([record(REASON)], None)
    assert header.split() == ["run", "kind", "state", "started", "attempt", "step", "loss", "reason"]
    assert line.endswith(REASON)


def test_in_a_wide_terminal_the_reason_stands_beside_the_rest() -> None:
    lines = run_lines([record(REASON)], 140)
    assert all(len(line) <= 140 for line in lines)
    assert len({line.index(word) for line, word in zip(lines[1:], ("rank 1", "ran out"), strict=False) if word in line})
    assert lines[2].startswith(" " * lines[1].index("rank 1"))


def test_in_a_narrow_terminal_it_stands_below_over_the_whole_width() -> None:
    lines = run_lines([record(REASON), record("")], 80)
    assert all(len(line) <= 80 for line in lines)
    assert "reason" not in lines[0]
    assert " ".join(line.strip() for line in lines[2:4]) == REASON
    assert lines[4].startswith("r-")
    assert len(lines) == 5
