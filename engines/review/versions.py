"""Versions of torch: reading them, and the ranges in which rules apply."""

import re

from contracts.errors import RequestInvalid

Version = tuple[int, ...]
"""Major, minor and so on."""

NEWEST_TORCH: Version = (2, 13)
"""Version that is assumed where none is given: the one that the rules were verified on."""

_BOUND = re.compile(r"^\s*(>=|<=|==|<|>)\s*([0-9.]+)\s*$")


def parse_version(text: str | None) -> Version:
    """Return a version such as "2.6" or "2.13.0+cu128" as numbers; the newest where there is none.

    Raises:
        RequestInvalid: The text does not start with a number.
    """
    if text is None or not text.strip():
        return NEWEST_TORCH
    match = re.match(r"^\s*v?(\d+(?:\.\d+)*)", text)
    if match is None:
        raise RequestInvalid(f"torch version {text!r} is not a version", hint="Write it as in 2.6.")
    return tuple(int(part) for part in match[1].split("."))


def within_range(version: Version, bounds: str) -> bool:
    """Tell whether a version meets bounds such as ">=2.4,<2.13"; empty bounds admit all."""
    for bound in filter(None, bounds.split(",")):
        match = _BOUND.match(bound)
        assert match is not None, f"bound {bound!r} of a rule is malformed"
        limit = tuple(int(part) for part in match[2].split("."))
        width = max(len(limit), 2)
        mine, other = _padded(version, width), _padded(limit, width)
        holds = {">=": mine >= other, "<=": mine <= other, "==": mine == other, "<": mine < other, ">": mine > other}
        if not holds[match[1]]:
            return False
    return True


def _padded(version: Version, width: int) -> Version:
    return (version + (0,) * width)[:width]
