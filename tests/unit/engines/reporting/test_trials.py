"""Trials in a report, a chat and a picture: measured beside predicted, and nothing where nothing is known."""

from contracts.recipe import Recipe
from contracts.trials import Trial, TrialResult, Trials
from engines.reporting.story import Story
from engines.reporting.trials import draw_trials, section, trial_cells, trial_lines

FIRST = Trial(label="chosen", recipe=Recipe(), predicted_tokens_per_s_per_gpu=1000.0, predicted_reserved_gib=20.0)
SECOND = Trial(label="batch-2", recipe=Recipe(micro_batch=2))
MEASURED = TrialResult(
    label="chosen", status="measured", tokens_per_s_per_gpu=900.0, step_s=0.5, peak_gib=21.0, peak_of="cuda_reserved",
    steps=8, speed_ratio=0.9, memory_ratio=1.05,
)  # fmt: skip
FAILED = TrialResult(label="batch-2", status="failed", reason="rank 1 exited with 1: out of memory | <b>")
TRIED = Trials(
    trials=(FIRST, SECOND), results=(MEASURED, FAILED), winner="chosen", because="chosen: 900", kept=("kept in f",)
)


def test_a_row_has_what_was_measured_beside_what_was_predicted() -> None:
    assert trial_cells(FIRST, MEASURED) == ("chosen", "900", "1,000", "0.90", "0.500", "21.00", "20.00", "1.05")
    assert trial_cells(SECOND, FAILED) == ("batch-2", "failed", "-", "-", "-", "-", "-", "-")
    on_cpu = MEASURED.model_copy(update={"peak_of": "rss", "memory_ratio": None, "speed_ratio": None})
    assert trial_cells(FIRST, on_cpu)[5:] == ("21.00 (rss)", "20.00", "-")


def test_the_section_tells_the_table_the_settings_the_reasons_and_the_winner() -> None:
    text = "\n".join(section(Story(phase="done", thread_id="t", trials=TRIED), "trials.png"))
    assert "| chosen | 900 | 1,000 | 0.90 |" in text
    assert "- `batch-2`: micro\\_batch=2" in text
    assert "out of memory \\| \\<b\\>" in text  # foreign words are no markup
    assert "**Winner:** chosen: 900" in text
    assert "kept in f" in text
    assert "![trials](trials.png)" in text
    assert section(Story(phase="done", thread_id="t")) == []
    waiting = section(Story(phase="awaiting_approval", thread_id="t", trials=Trials(trials=(FIRST,))))
    assert len(waiting) == 1  # what will be tried, and no table of nothing


def test_the_gist_is_told_in_both_languages() -> None:
    assert trial_lines(TRIED, "en")[0] == "1 of 2 trials were measured."
    danish = "\n".join(trial_lines(TRIED, "da"))
    assert "1 af 2 forsøg blev målt." in danish
    assert "Vinder: chosen: 900" in danish
    assert trial_lines(Trials(trials=(FIRST,)), "en") == []


def test_the_picture_is_drawn_where_something_was_measured() -> None:
    drawn = draw_trials(TRIED)
    assert drawn is not None
    assert drawn.startswith(b"\x89PNG")
    assert len(drawn) > 5000
    assert draw_trials(Trials(trials=(SECOND,), results=(FAILED,))) is None
