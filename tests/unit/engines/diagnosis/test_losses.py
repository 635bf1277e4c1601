"""Losses that ranks printed, and what they say of themselves."""

import pytest

from engines.diagnosis.claims import clues_of_claims
from engines.diagnosis.line import Line
from engines.diagnosis.losses import clues_of_losses


def lines_of(*told: tuple[str | None, str]) -> list[Line]:
    return [Line("log", number, rank, text) for number, (rank, text) in enumerate(told, start=1)]


def causes_of(*told: tuple[str | None, str]) -> list[str]:
    return [clue.cause for clue in clues_of_losses(lines_of(*told))]


def test_a_loss_that_is_no_number_on_one_rank_first_is_that_ranks() -> None:
    told = [(str(rank), f"step {step} loss 2.{rank}") for step in (1, 2) for rank in range(4)]
    told += [("0", "step 3 loss 2.1"), ("1", "step 3 loss nan"), ("2", "step 3 loss 2.2")]
    told += [(str(rank), "step 4 loss nan") for rank in range(4)]
    [clue] = clues_of_losses(lines_of(*told))
    assert clue.cause == "nan-from-one-rank"
    assert (clue.line, "rank 1" in clue.text, "step 3" in clue.text) == (10, True, True)


@pytest.mark.parametrize("end", ["nan", "inf", "NaN", "-inf"])
def test_a_loss_that_rose_before_it_was_no_number_diverged(end: str) -> None:
    told = [("0", f"step {step} loss {loss}") for step, loss in enumerate((2.1, 40.0, 9e3), start=1)]
    assert causes_of(*told, ("0", f"step 4 loss {end}")) == ["training-diverged"]


def test_without_a_rise_and_without_another_rank_nothing_is_said() -> None:
    assert causes_of(("0", "step 1 loss 2.1"), ("0", "step 2 loss 2.2"), ("0", "step 3 loss nan")) == []


def test_the_rank_in_the_text_counts_where_the_file_names_none() -> None:
    assert causes_of((None, "rank 0: step 5 loss 1.5"), (None, "rank 1: step 5 loss nan")) == ["nan-from-one-rank"]


def test_the_same_loss_at_every_step_is_one_that_trains_nothing() -> None:
    same = [("0", f"step {step} loss 0.863325") for step in range(1, 8)]
    assert causes_of(*same) == ["optimizer-holds-wrong-params"]
    assert causes_of(*same[:4]) == [], "four steps may be chance"
    assert causes_of(*same, ("0", "step 9 loss 0.863324")) == []
    assert causes_of(*[("0", f"step {step} loss 0.7") for step in range(1, 8)]) == [], "so few digits tell little"


@pytest.mark.parametrize("text", ["step 1.2.3 loss 1", "step 3 loss 1.2.3", "loss nan", "step loss nan"])
def test_what_is_no_loss_of_a_step_is_passed_over(text: str) -> None:
    assert causes_of(("0", text)) == []


def test_two_processes_that_claim_one_rank_took_it_from_the_wrong_place() -> None:
    [clue] = clues_of_claims(lines_of(("0", "rank 0 of 2"), ("1", "rank 0 of 2")))
    assert (clue.cause, clue.line) == ("rank-from-wrong-source", 2)


def test_a_rank_that_speaks_of_others_claims_nothing() -> None:
    assert clues_of_claims(lines_of(("0", "rank 0: up"), ("0", "rank 1: up"), ("1", "rank 1: up"))) == []
    assert clues_of_claims(lines_of(("0", "rank 0 of 2"), ("1", "rank 1 of 2"))) == []


def test_ranks_that_tell_of_different_types_have_different_weights() -> None:
    told = [("0", "rank 0: got 0.weight torch.bfloat16"), ("1", "rank 1: got 0.weight torch.float32")]
    [clue] = clues_of_claims(lines_of(*told))
    assert (clue.cause, clue.line) == ("rank-dtype-mismatch-in-broadcast", 2)
    assert clue.where, "it counts only where something did not fit"
    assert clues_of_claims(lines_of(told[0], ("1", "rank 1: got 0.bias torch.float32"))) == []
    assert clues_of_claims(lines_of(told[0], ("0", "rank 0: got 0.weight torch.float32"))) == []
