"""Sentences in two languages: the same keys, the same placeholders, numbers as people write them."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from contracts.request import Language
from engines.intake import texts_da, texts_en
from engines.intake.wording import number, parameters, size

TABLES = ("REASONS", "INSTEAD", "QUESTIONS", "ASSUMED", "NAMES")
SOURCES = "\n".join(
    path.read_text("utf-8")
    for path in Path(texts_en.__file__).parent.glob("*.py")
    if not path.name.startswith(("texts_", "words_"))
)


def _table(module: object, name: str) -> Mapping[str, str]:
    table: Mapping[str, str] = getattr(module, name)
    return table


@pytest.mark.parametrize("name", TABLES)
def test_both_languages_say_the_same(name: str) -> None:
    english, danish = _table(texts_en, name), _table(texts_da, name)
    assert english.keys() == danish.keys()
    for key, sentence in english.items():
        holes = set(re.findall(r"{(\w+)}", sentence))
        assert holes == set(re.findall(r"{(\w+)}", danish[key])), key


@pytest.mark.parametrize("name", ["REASONS", "INSTEAD", "QUESTIONS", "NAMES"])
def test_every_sentence_is_said_somewhere(name: str) -> None:
    made_up = {f"states_{method}" for method in ("full", "lora", "qlora")}
    unused = [key for key in _table(texts_en, name) if key not in made_up and f'"{key}"' not in SOURCES]
    assert unused == []


@pytest.mark.parametrize(
    ("value", "language", "expected"),
    [
        (1120.0, "en", "1120"),
        (17.6, "en", "17.6"),
        (17.6, "da", "17,6"),
        (14.0, "en", "14"),
        (0.96, "en", "0.96"),
        (2.16, "da", "2,16"),
        (0.063, "en", "0.063"),
    ],
)
def test_numbers_have_about_three_digits(value: float, language: Language, expected: str) -> None:
    assert number(value, language) == expected


def test_small_sizes_are_megabytes() -> None:
    assert size(0.0544, "en") == "54.4 MB"
    assert size(128.0, "en") == "128 GB"


def test_parameters_are_counted_in_words() -> None:
    assert parameters(8.0, "en") == "8 billion parameters"
    assert parameters(0.06, "da") == "60 mio. parametre"
    assert parameters(1.5, "da") == "1,5 mia. parametre"
