"""What is told of a launch before it starts is said in both languages, and every sentence is used."""

import re
import string
from pathlib import Path

import pytest

from contracts.errors import RequestInvalid
from runners import texts
from runners.launching import check_ranks, refuse_crowded_trials
from tests.danish import english_words

RUNNERS = Path(__file__).parents[3] / "runners"


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", sorted(texts._TEXTS))
def test_both_languages_take_the_same_values(key: str) -> None:
    english, danish = texts._TEXTS[key]
    assert fields(english) == fields(danish)
    assert not english_words(" ".join(literal for literal, *_ in string.Formatter().parse(danish)))


def test_every_sentence_is_used() -> None:
    source = "\n".join(path.read_text() for path in RUNNERS.glob("*.py") if path.name != "texts.py")
    assert [key for key in texts._TEXTS if not re.search(rf'say\(\s*"{key}"', source)] == []


def test_more_ranks_than_cores_are_told_in_the_language_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runners.launching.usable_cores", lambda: 2)
    assert check_ranks(4, "cpu") == ["4 ranks share 2 cores: they will wait for each other"]
    assert check_ranks(4, "cpu", "da") == ["4 ranks deles om 2 kerner: de kommer til at vente på hinanden"]
    with pytest.raises(RequestInvalid, match="maskinen har 2 kerner") as caught:
        refuse_crowded_trials(9, "cpu", "da")
    assert "prøv på højst 8 ranks" in caught.value.hint
