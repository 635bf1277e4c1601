"""An accelerator that is no GPU under CUDA or ROCm: what is computed here does not hold on it."""

import re

from engines.intake.facts import Accelerator

_KINDS: tuple[tuple[Accelerator, re.Pattern[str]], ...] = (
    ("tpu", re.compile(r"(?<![a-z])(?:cloud[ -])?tpu(?:'?s|'?er(?:ne)?|'?en)?(?![a-z])|\btrillium\b")),
    (
        "mps",
        re.compile(
            r"\bmac\s?book\w*|\bmac[ -](?:studio|mini|pro)\b|\bi?mac'?en\b|\bimac\b|\bapple[ -](?:silicon|m\d|gpu)"
            r"|\bm[1-5][ -](?:max|ultra|pro)\b|\b(?:on|på)\smps\b|\b(?:my|min|a|en)\smac\b"
        ),
    ),
    (
        "other",
        re.compile(
            r"\bgaudi[ -]?\d?(?:'?s|'?er)?\b|\bhpus?\b|\bascend\b|\btrainium\d?\b|\binferentia\d?\b|\btrn[12]\b"
            r"|\bcerebras\b|\bgraphcore\b|\bipus?\b"
        ),
    ),
)


def extract_accelerator(text: str) -> Accelerator | None:
    """Find an accelerator that is no GPU under CUDA or ROCm.

    Args:
        text: Lower-case text with uniform signs.

    Returns:
        Its kind; None where none is named.
    """
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), None)
