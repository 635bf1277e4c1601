"""Both languages say the same things about the same values."""

import re
import string
from pathlib import Path

import pytest

from engines.reporting import phrases
from engines.reporting.phrases import phrase

ROOT = Path(__file__).parents[4]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", sorted(phrases._PHRASES))
def test_english_and_danish_take_the_same_values(key: str) -> None:
    english, danish = phrases._PHRASES[key]
    assert fields(english) == fields(danish)


def test_values_are_inserted_and_not_read_as_templates() -> None:
    assert phrase("started", "en", run_id="{0.__class__}") == "Run {0.__class__} was started."
    assert phrase("started", "da", run_id="r-1") == "Kørsel r-1 er startet."


def test_every_phrase_is_used() -> None:
    sources = [path.read_text() for room in ("engines/reporting", "nodes") for path in (ROOT / room).glob("*.py")]
    text = "\n".join(source for source in sources if "_PHRASES" not in source)
    unused = [key for key in phrases._PHRASES if not re.search(rf"[\"']{key}[\"']", text)]
    assert unused == []
