"""Pairing: settings that a question ties to each other, such as "micro-batch 4 with AC or micro-batch 1 without it"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.study.numbers import Mention
from engines.study.outline import Choice
from engines.study.vocabulary import NUMBER_AXES, default_of

_BARE_WITHOUT = re.compile(
    r"\b(?:without|uden)\b(?: (?:it|that|them|any|det|den|dem|noget)\b)?"
    r"(?=\s*(?:[,.?;:!)\n]|$|(?:for|on|at|with|in|ved|på|til|med|i|af|of)\b))"
)
_WITH = re.compile(r"\b(?:with|med|plus|using)\s(?:\w+[\s-]){0,2}$|\+\s?$")
_OR = re.compile(
    r"\b(?:or|vs\.?|versus|eller|kontra|rather than|instead of|against|i stedet for|frem ?for|mod)(?=[\s,?])"
)
_OR_BEFORE = re.compile(r"(?:\b(?:or|and|vs\.?|versus|eller|og|kontra)|/)\s*$")
_COMMA = re.compile(r",(?!\d)")
_SENTENCE = re.compile(r"[?;!\n]|\.\s")


@dataclass(frozen=True)
class Pairs:
    """What was found of settings that belong together."""

    mentions: tuple[Mention, ...]
    """All mentions, with what a bare "without" and a missing one mean."""
    axes: tuple[str, ...] = ()
    """Axes that vary together; empty: none do."""
    rows: tuple[tuple[Choice, ...], ...] = ()
    """Each side's settings."""
    filled: str = ""
    """Axis that one side alone speaks of: on the others its default was taken."""
    unclear: str = ""
    """Words that tie settings in a way that was not understood."""


def pairs_of(text: str, mentions: Sequence[Mention]) -> Pairs:
    """Return which settings a question ties to each other.

    Args:
        text: The question, in lower case with uniform signs.
        mentions: What it mentions, in order.
    """
    found, unclear, tied = _with_bare(text, list(mentions))
    for sides in _sides(text):
        segments = [[one for one in found if start <= one.start < end] for start, end in sides]
        filled = _fill(text, segments)
        several = {one.axis for one in found} - {one.axis for one in found if _alone(one, found)} | {filled}
        rows = _rows([segment for segment in segments if any(one.axis in several for one in segment)], found)
        if rows:
            known = {id(one) for one in found}
            added = [one for segment in segments for one in segment if id(one) not in known]
            axes = tuple(choice.axis for choice in rows[0])
            return Pairs(tuple(sorted([*found, *added], key=_place)), axes, rows, filled, unclear)
    return Pairs(tuple(found), unclear=unclear or tied)


def _alone(mention: Mention, found: Sequence[Mention]) -> bool:
    """Tell whether its axis has no other value in the question."""
    return all(one.value == mention.value for one in found if one.axis == mention.axis)


def _place(mention: Mention) -> int:
    return mention.start


def _with_bare(text: str, found: list[Mention]) -> tuple[list[Mention], str, str]:
    """Return the mentions with what each "without" means, one that means nothing, and one that ties settings."""
    unclear = tied = ""
    for bare in _BARE_WITHOUT.finditer(text):
        before = [
            one
            for one in found
            if one.end <= bare.start()
            and one.axis not in NUMBER_AXES
            and (default := default_of(one.axis)) is not None
            and default.name != one.value
        ]
        meant = next((one for one in reversed(before) if _WITH.search(text[: one.start])), None)
        meant = meant or (before[-1] if len({one.axis for one in before}) == 1 else None)
        words = _words_before(text, bare.start()) + bare[0]
        default = default_of(meant.axis) if meant else None
        if meant is None or default is None:
            unclear = words
            continue
        found.append(Mention(meant.axis, default.name, *bare.span()))
        if not _OR_BEFORE.search(text[: bare.start()]):
            tied = words
    return sorted(found, key=_place), unclear, tied


def _words_before(text: str, end: int) -> str:
    return "".join(re.findall(r"\S+\s*", text[max(0, end - 60) : end])[-5:])


def _sides(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the sides of what each sentence weighs: split at "or", else at commas as well."""
    ends = [*(one.start() for one in _SENTENCE.finditer(text)), len(text)]
    for start, end in zip([0, *ends], ends, strict=False):
        ors = [one.span() for one in _OR.finditer(text, start, end)]
        commas = [one.span() for one in _COMMA.finditer(text, start, end)]
        for cuts in (ors, sorted([*ors, *commas])) if ors else ():
            starts, stops = [start, *(cut[1] for cut in cuts)], [*(cut[0] for cut in cuts), end]
            yield list(zip(starts, stops, strict=True))


def _fill(text: str, segments: list[list[Mention]]) -> str:
    """Give the other sides the default of what "with" gives to the first one alone, and return its axis."""
    named = [segment for segment in segments if segment]
    if len(named) < 2:
        return ""
    first, *others = named
    for mention in first:
        default = None if mention.axis in NUMBER_AXES else default_of(mention.axis)
        if default is None or default.name == mention.value or not _WITH.search(text[: mention.start]):
            continue
        heads = {one.axis for one in first if one.start < mention.start and one.axis != mention.axis}
        alike = all(heads & {one.axis for one in other} for other in others)
        if alike and not any(one.axis == mention.axis for other in others for one in other):
            for other in others:
                other.append(Mention(mention.axis, default.name, other[-1].end, other[-1].end))
            return mention.axis
    return ""


def _rows(segments: list[list[Mention]], found: list[Mention]) -> tuple[tuple[Choice, ...], ...]:
    """Return what each side sets where all set the same axes, and two of them or more differ; else nothing."""
    sides = [{one.axis: one.value for one in segment} for segment in segments]
    shared = [axis for axis in (sides[0] if sides else {}) if all(axis in side for side in sides)]
    axes = [axis for axis in shared if len({side[axis] for side in sides}) > 1]
    if len(sides) < 2 or len(axes) < 2:
        return ()
    for segment, side in zip(segments, sides, strict=True):
        stated = [one for one in segment if one.axis in axes and (one.end > one.start or one.value == side[one.axis])]
        if any(one.value != side[one.axis] for one in stated):
            return ()  # two values on one side: a list within it
    rows = tuple(tuple(Choice(axis, side[axis]) for axis in axes) for side in sides)
    told = {(choice.axis, choice.value) for row in rows for choice in row}
    if any(one.axis in axes and one.end > one.start and (one.axis, one.value) not in told for one in found):
        return ()
    return rows if len(set(rows)) == len(rows) else ()
