"""Trials: what does not belong together is refused."""

import pytest
from pydantic import ValidationError

from contracts.recipe import Recipe
from contracts.trials import Trial, TrialResult, Trials

CHOSEN, OTHER = Trial(label="chosen", recipe=Recipe()), Trial(label="ac-full", recipe=Recipe())


def test_results_stand_in_the_order_of_the_trials() -> None:
    results = tuple(TrialResult(label=trial.label, status="not_run") for trial in (CHOSEN, OTHER))
    assert Trials(trials=(CHOSEN, OTHER), results=results).results == results
    with pytest.raises(ValidationError, match="in their order"):
        Trials(trials=(CHOSEN, OTHER), results=results[::-1])
    with pytest.raises(ValidationError, match="in their order"):
        Trials(trials=(CHOSEN, OTHER), results=results[:1])


def test_a_winner_is_one_of_the_trials() -> None:
    with pytest.raises(ValidationError, match="no trial"):
        Trials(trials=(CHOSEN,), winner="ac-full")


def test_labels_are_unique_and_make_plain_folder_names() -> None:
    with pytest.raises(ValidationError, match="same label"):
        Trials(trials=(CHOSEN, CHOSEN))
    for label in ("", "..", "a/b", "A", "a" * 41):
        with pytest.raises(ValidationError):
            Trial(label=label, recipe=Recipe())
