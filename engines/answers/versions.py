"""Finds the version of torch that a question is about."""

import re

# not an amount: 2.7 B parameters, 1.5 GB, 2.1x
_AMOUNT = r"(?![\d.]*\s*(?:[%x]|[bmkgt]i?b?\b|billion|million|gpu))"
_VERSION = r"(?:v|version\s*)?(?P<version>[12]\.\d{1,2}(?:\.\d+)?)" + _AMOUNT
_NAMED = re.compile(r"\b(?:py)?torch\s*(?:>=|==|=)?\s*" + _VERSION, re.IGNORECASE)
_BARE = re.compile(r"\b(?:in|on|with|since|from|to|and|under|after|i|på|fra|til|og|med)\s+" + _VERSION, re.IGNORECASE)
_EARLIER = re.compile(
    r"\b(?:before|older than|earlier than|prior to|below|pre|før|ældre end)[\s-]+(?:(?:py)?torch\s*)?" + _VERSION,
    re.IGNORECASE,
)


def asked_version(question: str) -> str | None:
    """Return the torch version that a question is about, such as `2.13`.

    None where it names none, or several. "before 2.13" is read as 2.12.

    Args:
        question: The question.
    """
    earlier = _EARLIER.search(question)
    if earlier is not None:
        major, minor = earlier["version"].split(".")[:2]
        return f"{major}.{int(minor) - 1}" if int(minor) else None
    found = {match["version"] for pattern in (_NAMED, _BARE) for match in pattern.finditer(question)}
    return found.pop() if len(found) == 1 else None
