"""Mentions: every value of an axis that a question names, and where."""

import re
from dataclasses import replace

from engines.study.numbers import Mention, number_mentions
from engines.study.outline import Known
from engines.study.vocabulary import VALUES

_FULL_AC = re.compile(r"\b(?:full|fuld)\b(?! ?(?:fine|fin|shard|param|ft\b|sft|train|træn|precision|weights))")
_BARE_FSDP = re.compile(r"\bfsdp2?\b(?! ?(?:agent|version))")
_REDUCTION = re.compile(
    r"\b(?:reductions?|reduktion\w*|reduce[- _](?:scatter\w*|dtype)|reduc\w+ (?:the |of |our )?gradient\w*"
    r"|gradient\w* (?:\w+ )?(?:reduc\w+|reduk\w+))\b"
)
_OF_COMPUTE = re.compile(r"[ -]?(?:train\w*|comput\w*|param\w*|weights?|mixed|matmul\w*|master|træn\w*|vægt\w*)")


def mentions_of(text: str, known: Known) -> list[Mention]:
    """Return every value that a question mentions, in order.

    Args:
        text: The question, in lower case with uniform signs.
        known: What is known of the job besides.
    """
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
