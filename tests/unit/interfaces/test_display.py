"""The live panel of a run: everything that a person watches is in it, and foreign text is harmless."""

from rich.console import Console

from contracts.event import Event
from contracts.run import RunRecord
from interfaces.cli.display import panel
from interfaces.progress import Progress


def _record(**changes: object) -> RunRecord:
    facts = {"run_id": "r-0123456789ab", "key": "k", "launch_hash": "c" * 64, "kind": "train", "state": "running"}
    facts |= {"run_dir": "/x", "attempt": 1, "created_at": 1.0, "steps": 40}
    return RunRecord.model_validate(facts | changes)


def _drawn(record: RunRecord, progress: Progress, notices: list[str]) -> str:
    console = Console(width=100, record=True, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(panel(record, progress, notices))
    return captured.get()


def _progress() -> Progress:
    progress = Progress(steps=40)
    for step in range(1, 11):
        progress.add(
            Event(kind="step", time=10.0 * step, step=step, loss=5.0 / step, grad_norm=0.5, tokens_per_s=1234.0)
        )
    progress.add(Event(kind="eval", time=101.0, step=10, loss=0.75))
    progress.add(Event(kind="checkpoint", time=102.0, step=10, memory_gib=1.5))
    return progress


def test_all_that_a_person_watches_is_there() -> None:
    drawn = _drawn(_record(), _progress(), ["a warning"])
    # 30 steps of 10 s are left
    for shown in (
        "10/40",
        "0.5000",
        "0.7500",
        "grad norm 0.5",
        "1,234 tokens/s",
        "1.50 GiB",
        "5:00",
        "step 10",
        "a warning",
    ):
        assert shown in drawn
    assert "▁" in drawn  # the lowest loss of the curve


def test_before_the_first_event_nothing_is_made_up() -> None:
    drawn = _drawn(_record(state="queued", reason="waits for 2 of 2 cores"), Progress(), [])
    assert "0/?" in drawn
    assert "none yet" in drawn
    assert "waits for 2 of 2 cores" in drawn


def test_a_restart_counts_before_its_first_event() -> None:
    lines = _drawn(_record(attempt=3, state="starting"), _progress(), []).splitlines()
    assert [line.split()[2] for line in lines if "restarts" in line] == ["2"]


def test_foreign_words_are_text() -> None:
    drawn = _drawn(_record(reason="\x1b[2J[red]x[/red]"), _progress(), [])
    assert "\x1b[2J" not in drawn
    assert "[red]x[/red]" in drawn


def test_a_speed_of_thousands_is_written_out() -> None:
    from interfaces.cli.display import _short

    assert [_short(value) for value in (1234.4, 999.0, 0.00123, 2e-10, 7, "x")] == [
        "1,234",
        "999",
        "0.00123",
        "2e-10",
        "7",
        "x",
    ]
