"""What a change is told with: both languages say it, and each sentence is used."""

import re
from pathlib import Path

import pytest

from contracts.recipe import Recipe
from contracts.request import Hardware, Request
from engines.mending.phrases import COSTS, STARTS, WHY
from engines.mending.recipes import growing_segments, recompute_activations
from engines.mending.situation import Situation
from tests.danish import english_texts

ROOM = Path(__file__).parents[4] / "engines" / "mending"


@pytest.mark.parametrize("table", [WHY, COSTS, STARTS])
def test_the_danish_sentences_are_danish_and_take_the_same_values(table: dict[str, tuple[str, str]]) -> None:
    for english, danish in table.values():
        assert english_texts(re.sub(r"{\w+}", "1", danish)) == {}
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", danish))


def test_every_sentence_is_used() -> None:
    text = "\n".join(path.read_text() for path in ROOM.rglob("*.py") if path.name != "phrases.py")
    assert [key for key in (*WHY, *COSTS, *STARTS) if f'"{key}"' not in text] == []


def test_a_change_is_told_in_the_language_of_the_thread() -> None:
    asked = Request(hardware=Hardware(device="cuda"))
    for cure in (recompute_activations, growing_segments):
        mends = {language: cure(Situation(asked, Recipe(), language)) for language in ("en", "da")}
        assert mends["en"] is not None
        assert mends["da"] is not None
        assert english_texts(mends["da"].why) == {}
        assert english_texts(mends["en"].why) != {}
        assert mends["en"].settings == mends["da"].settings
