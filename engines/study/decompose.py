"""Taking a question apart: which options it weighs, under which conditions, and what it states as given."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from engines.study.budget import read_budget
from engines.study.numbers import Mention, number_mentions
from engines.study.outline import Choice, Known, Outline, Variant
from engines.study.pairing import Pairs, pairs_of
from engines.study.precedence import against_stated
from engines.study.roles import by_default, clauses_of, condition_axes, varies
from engines.study.vocabulary import (
    NUMBER_AXES,
    VALUES,
    by_name,
    default_of,
)

MOST_OPTIONS = 8
"""More options than this make no table that a person reads."""

MOST_CONDITIONS = 4
"""More conditions likewise."""

ACCUMULATIONS = (1, 8)
"""Micro-steps per optimizer step under which offloading is looked at where none are stated."""

DEFAULT_SEQ_LEN = 8192
"""Tokens per sequence where a question compares with a length that it does not state."""

_SIGNS = str.maketrans({"×": "x", "–": "-", "—": "-", "−": "-", "‑": "-", "’": "'", "‘": "'"})
_TRY = re.compile(
    r"\b(?:on this machine|på denne maskine|measure\w*|mål\w*|try|tried|trials?|afprøv\w*|prøv\w*|benchmark\w*)\b"
)
_WITH_OR_WITHOUT = re.compile(r"\b(?:with|med) (?:or|and|eller|og) (?:without|uden) ")
_SPEED = re.compile(r"\b(?:fast\w*|quick\w*|speed\w*|slow\w*|throughput|hurtig\w*|langsom\w*|hastighed\w*)\b")
_FULL_AC = re.compile(r"\b(?:full|fuld)\b(?! ?(?:fine|fin|shard|param|ft\b|sft|train|træn|precision|weights))")
_REDUCTION = re.compile(
    r"\b(?:reductions?|reduktion\w*|reduce[- _](?:scatter\w*|dtype)|reduc\w+ (?:the |of |our )?gradient\w*"
    r"|gradient\w* (?:\w+ )?(?:reduc\w+|reduk\w+))\b"
)
_OF_COMPUTE = re.compile(r"[ -]?(?:train\w*|comput\w*|param\w*|weights?|mixed|matmul\w*|master|træn\w*|vægt\w*)")
_BARE_FSDP = re.compile(r"\bfsdp2?\b(?! ?(?:agent|version))")


def decompose(question: str, known: Known | None = None) -> Outline:
    """Take a question apart.

    Args:
        question: English or Danish.
        known: What is known of the job besides.
    """
    known = known or Known()
    budget, text = read_budget(uniform(question))
    clauses = list(clauses_of(text))
    pairs = pairs_of(text, _mentions(text, known))
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
    fixed: dict[str, Any] = {}
    for axis in axes:
        elsewhere = axis in known.stated or (axis == "gpus" and known.ranks) or (axis == "seq_len" and known.seq_len)
        if axis not in varied and not elsewhere and not by_default(axis, values[axis][0]):
            fixed |= changes_of(Choice(axis, values[axis][0]))
    if "float8" in values.get("precision", ()) and "compiling" not in axes:
        fixed["compile"] = True  # without it every cast is a kernel of its own: both sides are compiled
    if (
        {"offload", "pp"} & {*options, *(pairs.axes if paired else ())}
        and "grad_accum" not in axes
        and known.grad_accum is None
    ):
        # what the host does is done once a step, and a pipeline fills with micro-steps: how many share it decides
        conditions.append("grad_accum")
        values["grad_accum"] = list(ACCUMULATIONS)
    lengths = "seq_len" in (*conditions, *options)
    assumed = lengths and len(values["seq_len"]) == 1 and known.seq_len is None
    if lengths:
        values["seq_len"] = _with_base_length(values["seq_len"], known)
    return Outline(
        question=question,
        options=(_paired(pairs, options, values) if paired else _options(options, values))[:MOST_OPTIONS],
        conditions=_product(conditions, values)[:MOST_CONDITIONS],
        fixed=fixed,
        topics=tuple(axes),
        budget=budget,
        filled=pairs.filled if paired else "",
        unclear=pairs.unclear,
        contradictions=contradictions,
        assumed_seq_len=assumed,
        asks_speed=bool(_SPEED.search(text)),
        asks_trials=bool(_TRY.search(text)),
    )


def uniform(question: str) -> str:
    """Return a question in lower case with one form of every sign."""
    flat = unicodedata.normalize("NFKC", question[:4000]).translate(_SIGNS).lower()
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


def _mentions(text: str, known: Known) -> list[Mention]:
    found: list[Mention] = []
    taken: list[tuple[int, int]] = []
    for value in VALUES:
        for match in re.finditer(value.pattern, text) if value.pattern else ():
            if not any(start < match.end() and match.start() < end for start, end in taken):
                found.append(Mention(value.axis, _degree(value.axis, value.name, text, match), *match.span()))
                taken.append(match.span())
    found = [_of_reduction(mention, text) for mention in found]
    found += number_mentions(text, known.ranks, known.per_node)
    found += _bare_full(text, found)
    if any(mention.axis == "sharding" and mention.value != "full_shard" for mention in found):
        others = [mention for mention in found if mention.value == "full_shard"]
        if not others and (bare := _BARE_FSDP.search(text)):
            found.append(Mention("sharding", "full_shard", *bare.span()))
    return sorted(_machines(found, known), key=lambda mention: mention.start)


def _of_reduction(mention: Mention, text: str) -> Mention:
    """Of "bf16 reduction instead of fp32" the latter is the reduction's dtype as well."""
    if mention.axis != "precision" or mention.value not in ("bf16", "fp32"):
        return mention
    before, behind = text[: mention.start], text[mention.end :]
    sentence = re.split(r"[?;!\n]", before)[-1] + "#" + re.split(r"[?;!\n]", behind)[0]
    if not _REDUCTION.search(sentence) or _OF_COMPUTE.match(behind):
        return mention
    return replace(mention, axis="reduction", value=f"reduce_{mention.value}")


def _bare_full(text: str, found: list[Mention]) -> list[Mention]:
    """Of "selective checkpointing, or full?" the latter means checkpointing as well."""
    if not any(mention.value == "ac_selective" for mention in found) or any(one.value == "ac_full" for one in found):
        return []
    return [Mention("ac", "ac_full", *match.span()) for match in _FULL_AC.finditer(text)][:1]


def _machines(found: list[Mention], known: Known) -> list[Mention]:
    """Between whole machines there are more ways than one to replicate: pairs of machines as well."""
    nodes = known.nodes or 0
    if nodes >= 4 and nodes % 2 == 0 and any(mention.value == "hsdp" for mention in found):
        at = next(mention for mention in found if mention.value == "hsdp")
        found.append(Mention("sharding", f"hsdp_{nodes // 2}", at.end, at.end))
    return found


def _degree(axis: str, name: str, text: str, match: re.Match[str]) -> str:
    """Return the value with a stated degree: "TP 4", "8-way tensor parallel", "cp=8"."""
    if axis not in ("tp", "cp", "pp"):
        return name
    behind = re.match(r"\s?(?:=|of|size|degree|på|x)?\s?(\d{1,3})\b(?!\s?k)", text[match.end() :])
    before = re.search(r"(\d{1,3})[- ]?(?:way|vejs)?[ -]?$", text[: match.start()])
    number = behind or before
    return f"{axis}{number[1]}" if number else name


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
