"""What follows from numbers: differences count where they exceed the error, and nowhere else."""

from dataclasses import replace

import pytest

from engines.study.cells import Cell
from engines.study.conclude import Conclusion, conclude
from engines.study.decompose import decompose
from engines.study.facts import Facts
from engines.study.outline import Known

KNOWN = Known(ranks=8, nodes=1)


def cell(option: int, peak: float, speed: float | None, **more: object) -> Cell:
    base = Cell(
        option,
        0,
        ranks=8,
        reserved_gib=peak,
        memory_error_pct=8.0,
        overhead_gib=1.5,
        capacity_gib=80.0,
        tokens_per_s=speed,
        speed_error_pct=15.0,
        step_s=1.0,
    )
    return replace(base, **more)


def concluded(*cells: Cell, question: str = "LoRA or full fine-tuning?", language: str = "en") -> Conclusion:
    outline = decompose(question, KNOWN)
    return conclude(Facts(outline, KNOWN, language, cells, gpu="H100"))


def said(found: Conclusion) -> str:
    return "\n".join(sentence.text for sentence in found.sentences)


def test_what_alone_fits_is_the_choice() -> None:
    found = concluded(cell(0, 100.0, 500.0), cell(1, 40.0, 400.0))
    assert found.choice == "LoRA"
    assert found.sentences[0].text == (
        "LoRA: of what is weighed it alone fits, with 40.0 of 78.5 GiB on each GPU; "
        "full fine-tuning would take 100.0 GiB."
    )
    assert found.sentences[0].parts == ("e1", "e2")


def test_a_difference_beyond_the_error_decides() -> None:
    # 120 / 100 = 20 % more, and the error is 15 %
    found = concluded(cell(0, 40.0, 120.0), cell(1, 40.0, 100.0))
    assert found.choice == "full fine-tuning"
    assert "20 % more than LoRA" in found.sentences[0].text
    assert not found.decide_by


def test_a_difference_within_the_error_decides_nothing_and_names_the_trial() -> None:
    # 110 / 100 = 10 %, and the error is 15 %
    found = concluded(cell(0, 40.0, 110.0), cell(1, 40.0, 100.0))
    assert found.choice is None
    assert "cannot be told apart" in said(found)
    assert found.decide_by == (
        "A trial of full fine-tuning and LoRA, 20 steps each: the difference to look for is 10.0 %.",
    )


def test_the_same_speed_is_no_reason_for_a_trial() -> None:
    found = concluded(cell(0, 40.0, 100.0), cell(1, 40.0, 100.2))
    assert "it makes no difference" in said(found)
    assert found.decide_by == ()


def test_a_peak_with_the_limit_within_its_error_is_not_judged() -> None:
    # the limit is 80 - 1.5 = 78.5; 75 x 1.08 = 81 is above it, 75 x 0.92 = 69 below
    close = cell(0, 75.0, 100.0)
    assert close.fits is None
    found = concluded(close, cell(1, 120.0, 100.0))
    assert found.choice is None
    assert "cannot be told: 75.0 GiB with an error of ± 8 %" in said(found)
    assert "does it stay below 78.5 GiB?" in found.decide_by[0]


@pytest.mark.parametrize(("peak", "fits"), [(72.6, True), (72.8, None), (85.2, None), (85.4, False)])
def test_where_the_error_ends(peak: float, fits: bool | None) -> None:
    # 78.5 / 1.08 = 72.69; 78.5 / 0.92 = 85.33
    assert cell(0, peak, None).fits is fits


def test_a_dry_run_counts_in_place_of_the_prediction_and_its_error() -> None:
    # 75 GiB +- 8 % is too close; a dry run of 74 GiB +- 5 % = 77.7 GiB fits below 78.5
    assert cell(0, 75.0, None).fits is None
    assert cell(0, 75.0, None, dry_gib=74.0, dry_error_pct=5.0).fits is True


def test_a_measurement_counts_in_place_of_the_prediction() -> None:
    # predicted alike, measured 30 % apart with 4 % of spread
    one = cell(0, 40.0, 100.0, measured_tokens_per_s=130.0, measured_spread_pct=4.0, more_parts=("t1",))
    other = cell(1, 40.0, 100.0, measured_tokens_per_s=100.0, measured_spread_pct=3.0, more_parts=("t2",))
    found = concluded(one, other)
    assert found.choice == "full fine-tuning"
    assert "30 % more" in said(found)
    assert {"t1", "t2"} <= set(found.sentences[0].parts)


def test_noisy_measurements_are_not_told_apart() -> None:
    one = cell(0, 40.0, None, measured_tokens_per_s=130.0, measured_spread_pct=35.0)
    other = cell(1, 40.0, None, measured_tokens_per_s=100.0, measured_spread_pct=20.0)
    found = concluded(one, other)
    assert found.choice is None
    assert "What was measured does not part them" in said(found)


def test_without_speeds_only_a_trial_tells() -> None:
    found = concluded(cell(0, 40.0, None, capacity_gib=None), cell(1, 30.0, None, capacity_gib=None))
    assert "only a trial tells" in said(found)
    assert found.decide_by == ("A trial of full fine-tuning and LoRA, 20 steps each.",)


def test_sizes_are_compared_by_wall_time_and_gpu_hours() -> None:
    # 8 x 100 = 800 and 16 x 90 = 1,440 tokens/s: the second ends first, the first takes fewer GPU hours
    small = cell(0, 40.0, 100.0)
    large = cell(1, 40.0, 80.0, ranks=16)
    found = concluded(small, large, question="CPU offload or 16 GPUs instead of 8 GPUs?")
    text = said(found)
    assert "1,280" in text
    assert "100 % with" in text


def test_of_sizes_alone_the_fewest_that_fit_are_the_answer() -> None:
    cells = (cell(0, 120.0, 100.0, ranks=8), cell(1, 60.0, 100.0, ranks=16), cell(2, 35.0, 100.0, ranks=32))
    found = concluded(*cells, question="8, 16 or 32 H100?")
    assert found.choice == "16 GPUs"
    assert found.sentences[0].text == (
        "16 GPUs are the fewest that fit: 60.0 of 78.5 GiB; 8 GPUs would take 120.0 GiB."
    )


def test_what_could_not_be_estimated_is_told() -> None:
    found = concluded(cell(0, 40.0, 100.0), Cell(1, 0, problem="there is nothing to replicate across"))
    assert any("LoRA was not estimated: there is nothing to replicate across." in line for line in found.uncertain)


def test_danish_is_danish_and_has_a_decimal_comma() -> None:
    found = concluded(cell(0, 100.0, 500.0), cell(1, 40.5, 400.0), language="da")
    assert found.sentences[0].text == (
        "LoRA: af det, der overvejes, kan kun det være der, med 40,5 af 78,5 GiB på hver GPU; "
        "fuld finetuning ville fylde 100,0 GiB."
    )


def test_speed_is_concluded_where_nothing_is_sure_to_fit() -> None:
    # 77 GiB +- 8 % has the limit of 78.5 within it; 130 / 100 = 30 %, and the error is 15 %
    found = concluded(cell(0, 100.0, 100.0), cell(1, 77.0, 130.0), question="LoRA or full: which is faster?")
    assert "Nothing of what is weighed fits" not in said(found)
    assert "Not all of it fits: full fine-tuning takes 100.0" in said(found)
    assert "Whether LoRA fits cannot be told" in said(found)
    assert "LoRA 1,040 and full fine-tuning 800 tokens/s in all; LoRA leads by 30.0 %" in said(found)
    assert found.choice is None


def test_speed_is_concluded_where_it_was_asked_and_one_alone_fits() -> None:
    found = concluded(cell(0, 100.0, 110.0), cell(1, 40.0, 100.0), question="LoRA or full: which is faster?")
    assert found.choice == "LoRA"
    assert "within 10.0 %, and the stated error is ± 15 %: they cannot be told apart" in said(found)
