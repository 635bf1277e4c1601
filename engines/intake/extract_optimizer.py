"""Which optimizer a text states; AdamW is assumed where it states none, or weighs several."""

import re
from collections.abc import Mapping

from engines.intake.facts import Optimizer

_ADAMW_8BIT = (
    r"(?:8[\s-]?bit|int8)[\s-]+(?:paged[\s-]+)?(?:adamw?|optimi[sz]er\w*)\b"
    r"|\bpaged[\s_-]*(?:8[\s-]?bit[\s-]*adamw?|adamw?[\s_(-]*8[\s-]?bit)|\badamw?[\s_(-]*(?:bnb[\s_-]?)?8[\s-]?bit\b|\badamw?8bit\b"
)
_PATTERNS: Mapping[Optimizer, re.Pattern[str]] = {
    "adamw_8bit": re.compile(_ADAMW_8BIT),
    "sgd_momentum": re.compile(
        r"\bsgd[\s,(_-]*(?:with|w/|and|med|og|\+)?[\s_]*(?:\w+[\s-])?(?:momentum|nesterov)\b|\b(?:momentum|nesterov)[\s-]sgd\b"
    ),
    "sgd": re.compile(r"\bsgd\b"),
    "adafactor": re.compile(r"\badafactor\b"),
    "muon": re.compile(r"\bmuon\b"),
    "lion": re.compile(r"\blion(?=[\s-]optimi[sz]er)|(?<=optimizer\s)lion\b|(?<=optimizer:\s)lion\b|(?<=with\s)lion\b"),
    "adamw": re.compile(r"\badamw?\b"),
}
"""Each optimizer's names in lower case, the longer ones first: what one has taken, the next does not see."""
_REFUSED = re.compile(r"(?:\bno|\bnot|\bwithout|\binstead of|\brather than|\bikke|\buden|\bi stedet for)\s+(?:\w+\s)?$")
_REFUSAL_CHARS = 30
"""Characters before a name in which a refusal is looked for."""


def extract_optimizer(text: str) -> Optimizer | None:
    """Find the optimizer.

    Args:
        text: Lower-case text with uniform signs.

    Returns:
        The optimizer; None where none is stated or where several are weighed.
    """
    stated = []
    for name, pattern in _PATTERNS.items():
        found = list(pattern.finditer(text))
        if any(not _REFUSED.search(text[max(0, one.start() - _REFUSAL_CHARS) : one.start()]) for one in found):
            stated.append(name)
        text = pattern.sub(lambda one: " " * len(one.group()), text)
    return stated[0] if len(stated) == 1 else None
