"""Taking a question apart: which options it weighs, under which conditions, and what it states as given."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from engines.study.budget import read_budget
from engines.study.mentions import mentions_of
from engines.study.numbers import Mention
from engines.study.outline import Choice, Known, Outline, Variant
from engines.study.pairing import Pairs, pairs_of
from engines.study.precedence import against_stated
from engines.study.roles import by_default, clauses_of, condition_axes, varies
from engines.study.unlooked import unlooked_at
from engines.study.vocabulary import (
    NUMBER_AXES,
    VALUES,
    by_name,
    default_of,
)

MOST_CHARACTERS = 4000
"""What of a question is read; the rest is told to have been left."""

MOST_OPTIONS = 8
"""More options than this make no table that a person reads."""

MOST_CONDITIONS = 4
"""More conditions likewise."""

ACCUMULATIONS = (1, 8)
"""Micro-steps per optimizer step under which offloading is looked at where none are stated."""

DEFAULT_SEQ_LEN = 8192
"""Tokens per sequence where a question compares with a length that it does not state."""

_HELD_AXES = frozenset({value.axis for value in VALUES} | {"seq_len", "micro_batch", "grad_accum"})
"""Axes that a study's heading does not show."""

_SIGNS = str.maketrans({"×": "x", "–": "-", "—": "-", "−": "-", "‑": "-", "’": "'", "‘": "'"})
_TRY = re.compile(
    r"\b(?:on this machine|på denne maskine|measure\w*|mål\w*|try|tried|trials?|afprøv\w*|prøv\w*|benchmark\w*)\b"
)
_WITH_OR_WITHOUT = re.compile(r"\b(?:with|med) (?:or|and|eller|og) (?:without|uden) ")
_SPEED = re.compile(r"\b(?:fast\w*|quick\w*|speed\w*|slow\w*|throughput|hurtig\w*|langsom\w*|hastighed\w*)\b")


def decompose(question: str, known: Known | None = None) -> Outline:
    """Take a question apart.

    Args:
        question: English or Danish.
        known: What is known of the job besides.
    """
    known = known or Known()
    budget, text = read_budget(uniform(question))
    clauses = list(clauses_of(text))
    pairs = pairs_of(text, mentions_of(text, known))
    mentions = list(pairs.mentions)
    axes = list(dict.fromkeys(mention.axis for mention in mentions))
    values = {axis: _distinct(mention for mention in mentions if mention.axis == axis) for axis in axes}
    varied = [axis for axis in axes if varies(axis, values[axis], mentions, text, clauses)]
    varied, contradictions = against_stated(varied, axes, values, known)
    conditions = condition_axes(varied, mentions, clauses, text)
    options = [axis for axis in varied if axis not in conditions and axis not in pairs.axes]
    paired = bool(pairs.rows) and set(pairs.axes) <= set(varied)
    if paired:
        conditions = [axis for axis in conditions if axis not in pairs.axes]
    else:
        options = [axis for axis in varied if axis not in conditions]
    if not options and not paired:  # what varies by nature is all that is asked about
        options, conditions = list(conditions), []
    weighed = {*options, *(pairs.axes if paired else ())}
    if {"offload", "pp"} & weighed and "grad_accum" not in axes and known.grad_accum is None:
        # what the host does is done once a step, and a pipeline fills with micro-steps: how many share it decides
        conditions.append("grad_accum")
        values["grad_accum"] = list(ACCUMULATIONS)
    lengths = "seq_len" in (*conditions, *options)
    assumed = lengths and len(values["seq_len"]) == 1 and known.seq_len is None
    if lengths:
        values["seq_len"] = _with_base_length(values["seq_len"], known)
    ways = _paired(pairs, options, values) if paired else _options(options, values)
    under = _product(conditions, values)
    fixed_axes = [axis for axis in axes if axis not in varied and axis not in known.stated and axis in _HELD_AXES]
    return Outline(
        question=question,
        options=ways[:MOST_OPTIONS],
        conditions=under[:MOST_CONDITIONS],
        held=tuple(Choice(axis, values[axis][0]) for axis in fixed_axes),
        unlooked=unlooked_at(text, mentions, varied, budget, clauses),
        left_out=len(ways[MOST_OPTIONS:]) + len(under[MOST_CONDITIONS:]),
        fixed=_fixed(axes, varied, values, known),
        topics=tuple(axes),
        budget=budget,
        filled=pairs.filled if paired else "",
        unclear=pairs.unclear,
        contradictions=contradictions,
        assumed_seq_len=assumed,
        asks_speed=bool(_SPEED.search(text)),
        asks_trials=bool(_TRY.search(text)),
    )


def _fixed(axes: Sequence[str], varied: Sequence[str], values: dict[str, list[Any]], known: Known) -> dict[str, Any]:
    """Return what the question states as given, but for what the request states in its place."""
    fixed: dict[str, Any] = {}
    for axis in axes:
        elsewhere = axis in known.stated or (axis == "gpus" and known.ranks) or (axis == "seq_len" and known.seq_len)
        if axis not in varied and not elsewhere and not by_default(axis, values[axis][0]):
            fixed |= changes_of(Choice(axis, values[axis][0]))
    if "float8" in values.get("precision", ()) and "compiling" not in axes:
        fixed["compile"] = True  # without it every cast is a kernel of its own: both sides are compiled
    return fixed


def uniform(question: str) -> str:
    """Return a question in lower case with one form of every sign."""
    flat = unicodedata.normalize("NFKC", question[:MOST_CHARACTERS]).translate(_SIGNS).lower()
    flat = re.sub(r"[^\S\n]+", " ", flat).strip()
    return _WITH_OR_WITHOUT.sub("weigh ", flat)


def changes_of(choice: Choice) -> dict[str, Any]:
    """Return what a choice sets."""
    if choice.axis in ("seq_len", "micro_batch", "grad_accum"):
        return {choice.axis: choice.value}
    if choice.axis in NUMBER_AXES:
        return {f"@{choice.axis}": choice.value}
    if choice.axis == "sharding" and str(choice.value).startswith("hsdp_"):
        return {"@replicas": int(str(choice.value).removeprefix("hsdp_"))}
    if choice.axis in ("tp", "cp", "pp") and "_" not in str(choice.value):
        degree = str(choice.value).removeprefix(choice.axis)
        return {f"@{choice.axis}": int(degree) if degree else 0}
    return dict(by_name(str(choice.value)).changes)


def _distinct(mentions: Iterable[Mention]) -> list[Any]:
    """Return the values of an axis in the order of their naming; numbers by size."""
    values = list(dict.fromkeys(mention.value for mention in mentions))
    return sorted(values) if values and all(isinstance(value, int) for value in values) else values


def _with_base_length(values: list[Any], known: Known) -> list[Any]:
    if len(values) > 1:
        return values
    base = known.seq_len or DEFAULT_SEQ_LEN
    return sorted({base, *values}) if values != [base] else [base]


def _full_values(axis: str, values: list[Any]) -> list[Any]:
    """Return the values of an axis with what holds by default in front, whether it is named or not."""
    default = default_of(axis)
    if default is None or (axis == "method" and len(values) > 1 and default.name not in values):
        return values  # "QLoRA or LoRA" leaves full fine-tuning out
    return [default.name, *(value for value in values if value != default.name)]


def _options(axes: list[str], values: dict[str, list[Any]]) -> tuple[Variant, ...]:
    """Return the options: all combinations of what is weighed by itself, else one change at a time.

    "HSDP or full sharding, TP 1 or 2" are combinations; "CPU offload or more GPUs" are two ways away
    from how things are.
    """
    full = {axis: _full_values(axis, values[axis]) for axis in axes}
    ways = [axis for axis in axes if axis == "gpus" or not any(by_default(axis, value) for value in values[axis])]
    if len(axes) < 2 or len(ways) < 2:
        return _product(axes, full)
    alone = axes if "gpus" in axes else ways
    together = [axis for axis in axes if axis not in alone]
    rows = []
    for base in _product(together, full):
        start = [Choice(axis, full[axis][0]) for axis in alone]
        rows.append((*base.choices, *start))
        for place, axis in enumerate(alone):
            for value in full[axis][1:]:
                changed = [*start]
                changed[place] = Choice(axis, value)
                rows.append((*base.choices, *changed))
    return tuple(_variant(row) for row in rows)


def _product(axes: Sequence[str], values: dict[str, list[Any]]) -> tuple[Variant, ...]:
    return tuple(
        _variant(tuple(Choice(axis, value) for axis, value in zip(axes, row, strict=True)))
        for row in product(*(values[axis] for axis in axes))
    )


def _paired(pairs: Pairs, others: list[str], values: dict[str, list[Any]]) -> tuple[Variant, ...]:
    """Return the options where settings belong together, each with what is weighed besides."""
    besides = _options(others, values) if others else (Variant((), {}),)
    return tuple(replace(_variant((*row, *one.choices)), whole=True) for row in pairs.rows for one in besides)


def _variant(choices: tuple[Choice, ...]) -> Variant:
    changes: dict[str, Any] = {}
    for choice in choices:
        changes |= changes_of(choice)
    if changes.get("float8"):
        changes["compile"] = True
    return Variant(choices, changes)
