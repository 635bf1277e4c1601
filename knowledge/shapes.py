"""Named model shapes: the Hugging Face configuration fields of well-known decoders.

Each file of `knowledge/models` holds one model: its name, other names that people use,
the published number of parameters (a check of the arithmetic), the source, and the
configuration fields from which a shape is computed. Read once, on first use.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field

from contracts.base import Contract
from knowledge.safe_yaml import parse_yaml

_FOLDER = Path(__file__).parent / "models"
_DECORATION = re.compile(r"[-_ ](?:instruct|chat|base|hf|it|\d+k)\b")
_FAMILY_WORD = re.compile(r"\bmeta[-_ ](?=llama)")


class NamedShape(Contract):
    """One model that is known by name."""

    name: str
    """The name as its publisher writes it."""
    aliases: tuple[str, ...] = ()
    """Other names that mean the same shape."""
    params: int = Field(gt=0)
    """Published number of parameters, tied weights counted once."""
    source: str
    """Where the configuration was read."""
    config: dict[str, Any]
    """Fields of the Hugging Face config.json."""


@cache
def named_shapes() -> dict[str, NamedShape]:
    """Return every named shape by the name of its file, such as "llama-3-8b"."""
    shapes = {}
    for path in sorted(_FOLDER.glob("*.yaml")):
        fields = parse_yaml(path.read_text("utf-8"))
        shapes[path.stem] = NamedShape.model_validate(fields)
    return shapes


def find_shape(text: str) -> NamedShape | None:
    """Return the shape that a name means, or None.

    The name may carry a publisher ("meta-llama/Meta-Llama-3-8B-Instruct"), a variant
    ("-Instruct", "-hf") and any spelling of the separators; the size must be there.
    """
    return _by_spelling().get(_spelling(text))


@cache
def _by_spelling() -> dict[str, NamedShape]:
    spellings: dict[str, NamedShape] = {}
    for stem, shape in named_shapes().items():
        for name in (stem, shape.name, *shape.aliases):
            spellings.setdefault(_spelling(name), shape)
    return spellings


def _spelling(name: str) -> str:
    """Reduce a name to what tells models apart: letters, digits and decimal points."""
    last = name.strip().lower().rsplit("/", 1)[-1]
    plain = _DECORATION.sub("", _FAMILY_WORD.sub("", last))
    return re.sub(r"[^a-z0-9.]", "", plain)
