"""A language model's reading of a request beside our own: it changes nothing, a disagreement is asked.

The reading is a JSON object in the words of `contracts.need.Extracted`, with an intent. What
the text does not bear out is left aside: a number that is not in it, a name that is not in it.
"""

import json
import re
from collections.abc import Iterator
from itertools import product
from typing import Literal

from pydantic import Field, ValidationError

from contracts.base import Contract
from contracts.need import Extracted, MissingInput, Need
from contracts.request import Intent, Language
from engines.intake import texts_da, texts_en
from engines.intake.counts import count_words
from engines.intake.wording import number

REPLY_CHARACTERS_MAX = 4000
"""A longer reply is no reading."""

_TABLES = {"en": texts_en, "da": texts_da}
_SIZE_TOLERANCE = 0.1
_SCALES: dict[str, tuple[float, ...]] = {"seq_len": (1, 1000, 1024), "params_b": (1, 1e-3)}
"""What a written number may be multiplied by: "8k" tokens, "770M" parameters."""

_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{3})+(?![\d.,]*\d)|\d+(?:[.,]\d+)?")
_NAMES = ("model", "gpu_type")


class SecondReading(Contract):
    """What a language model read; None where it says that nothing was stated."""

    intent: Intent | None = None
    """What the caller wants."""
    model: str | None = Field(default=None, max_length=80)
    """Model as named."""
    params_b: float | None = Field(default=None, gt=0, le=100_000)
    """Parameters in billions (1e9)."""
    gpus: int | None = Field(default=None, ge=0, le=1 << 20)
    """GPUs in all, over all nodes."""
    nodes: int | None = Field(default=None, ge=1, le=1 << 17)
    """Machines."""
    gpu_type: str | None = Field(default=None, max_length=40)
    """GPU as named."""
    gpu_mem_gb: float | None = Field(default=None, gt=0, le=10_000)
    """Memory of one GPU in GB (1e9 bytes)."""
    seq_len: int | None = Field(default=None, ge=1, le=1 << 27)
    """Tokens per sequence."""
    batch: int | None = Field(default=None, ge=1, le=1 << 20)
    """Sequences per GPU and micro-step."""
    method: Literal["full", "lora", "qlora"] | None = None
    """Which weights are trained."""


def parse_reading(reply: str) -> SecondReading | None:
    """Return the reading in a reply; None where it is none: no JSON, other keys, impossible values."""
    text = reply.strip()
    if len(text) > REPLY_CHARACTERS_MAX:
        return None
    fenced = re.fullmatch(r"```(?:json)?\s*(\{.*\})\s*```", text, re.DOTALL)
    try:
        body = json.loads(fenced[1] if fenced else text)
        return SecondReading.model_validate(body)
    except (ValueError, RecursionError, ValidationError):
        return None


def compared(need: Need, reading: SecondReading, text: str) -> Need:
    """Return the Need with a question for each disagreement; verdict and values stay.

    Args:
        need: Our own reading, judged.
        reading: The language model's.
        text: What both read.
    """
    asked = list(_disagreements(need, reading, text))
    known = {gap.code for gap in need.missing}
    return need.model_copy(update={"missing": (*(gap for gap in asked if gap.code not in known), *need.missing)})


def _disagreements(need: Need, reading: SecondReading, text: str) -> Iterator[MissingInput]:
    if reading.intent is not None and reading.intent != need.intent:
        yield _question("intent", need.intent, reading.intent, need.language)
    for field in (name for name in SecondReading.model_fields if name in Extracted.model_fields):
        ours, theirs = getattr(need.extracted, field), getattr(reading, field)
        if theirs is None or _agree(field, ours, theirs) or not _borne_out(field, theirs, text):
            continue
        yield _question(field, ours, theirs, need.language)


def _question(field: str, ours: object, theirs: object, language: Language) -> MissingInput:
    table = _TABLES[language]
    said = {"name": table.NAMES[field], "first": _shown(ours, language), "second": _shown(theirs, language)}
    key = "second_reading" if ours is None else "two_readings"
    assumed = table.ASSUMED["not_stated"] if ours is None else _shown(ours, language)
    return MissingInput(code=f"reading_{field}", question=table.QUESTIONS[key].format(**said), assumed=assumed)


def _shown(value: object, language: Language) -> str:
    return number(value, language) if isinstance(value, float) else str(value)


def _agree(field: str, ours: object, theirs: object) -> bool:
    if ours is None or field in _NAMES:
        return ours is not None and _alike(str(ours), str(theirs))
    if field in ("params_b", "gpu_mem_gb") and isinstance(ours, int | float) and isinstance(theirs, int | float):
        return abs(ours - theirs) <= _SIZE_TOLERANCE * max(ours, theirs)
    return ours == theirs


def _alike(one: str, other: str) -> bool:
    """Tell whether two names mean the same: one is a part of the other but for signs."""
    first, second = (re.sub(r"[^a-z0-9]", "", name.lower()) for name in (one, other))
    return first in second or second in first


def _borne_out(field: str, value: object, text: str) -> bool:
    """Tell whether the text has what was read: the name, the number, or two numbers that multiply to it."""
    flat = text.lower()
    if isinstance(value, str):
        return field == "method" or _alike(value, flat)
    assert isinstance(value, int | float)
    numbers = _numbers(flat)
    whole = {n * scale for n in numbers for scale in _SCALES.get(field, (1,))}
    if any(abs(n - value) <= 1e-6 * max(n, value) for n in whole):
        return True
    return field == "gpus" and any(one * other == value for one, other in product(numbers, repeat=2))


def _numbers(text: str) -> set[float]:
    found: set[float] = set()
    for match in _NUMBER.finditer(text[:20_000]):
        grouped = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", match[0])
        found.add(float(re.sub(r"[.,]", "", match[0])) if grouped else float(match[0].replace(",", ".")))
        if len(found) > _NUMBERS_MAX:
            break
    words = {**count_words("en"), **count_words("da")}
    return found | {float(words[word]) for word in re.findall(r"[\wæøåéü-]+", text) if word in words}


_NUMBERS_MAX = 200
"""A request with more numbers than this is a log."""
