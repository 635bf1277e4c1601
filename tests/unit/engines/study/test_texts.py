"""Both languages say the same things about the same values, and nothing is kept that is not said."""

import re
import string
from pathlib import Path

import pytest

from engines.study.claims import CARDS, STATES
from engines.study.labels import _LABELS
from engines.study.texts_made import MADE
from engines.study.texts_told import TOLD
from engines.study.vocabulary import VALUES
from knowledge.cards import cards

ROOT = Path(__file__).parents[4]
TEXTS = {**TOLD, **MADE}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_english_and_danish_take_the_same_values(key: str) -> None:
    english, danish = TEXTS[key]
    assert fields(english) == fields(danish)


def test_every_sentence_is_used() -> None:
    sources = [*(ROOT / "engines" / "study").glob("*.py"), *(ROOT / "nodes").glob("*.py")]
    text = "\n".join(path.read_text() for path in sources if not path.name.startswith("texts_"))
    made_up = {f"assume_ac_{taken}" for taken in ("none", "full")}
    made_up |= {f"method_{kind}_{status}" for kind in ("dryrun", "trial") for status in
                ("answered", "waiting", "skipped", "failed")}  # fmt: skip
    assert [key for key in TEXTS if key not in made_up and not re.search(rf"[\"']{key}[\"']", text)] == []
    assert made_up <= set(TEXTS)


def test_every_value_has_a_label() -> None:
    assert {value.name for value in VALUES} - set(_LABELS) == {"hsdp", "tp", "cp", "pp"}  # made of their degree


def test_every_card_exists() -> None:
    assert {slug for slugs in CARDS.values() for slug in slugs} | {STATES} <= set(cards())
