"""Values that a question states as numbers or names: lengths, counts of GPUs, GPUs, links, batches, models."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from knowledge.devices import devices, find_device
from knowledge.links import find_link
from knowledge.shapes import find_shape


@dataclass(frozen=True)
class Mention:
    """A value of an axis, and where it is named."""

    axis: str
    """The axis."""
    value: Any
    """Name of a `vocabulary.Value`, or the number or name as it is used."""
    start: int
    """Where its words begin."""
    end: int
    """Where they end."""


_NOT_TOKENS = (
    r"(?!\s?(?:steps|trin|examples|samples|eksempler|rows|rækker|images|users|usd|eur|kr\b|dkk|docs|gpu|h100|a100"
    r"|params?|iterations|gb|g\b|b\b|pairs))"
)
_THOUSANDS = re.compile(rf"(?<![\w.,-])(\d{{1,4}})\s?k(?![a-z0-9]){_NOT_TOKENS}")
_MILLIONS = re.compile(r"(?<![\w.,-])(\d)\s?m(?:illion)?[- ](?:tokens?|context|kontekst)")
_TOKENS = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:[.,]\d{3})+|\d{3,7})[\s-]*(?:tokens?|tok\b|context|kontekst\w*|seq\w*|sekvens\w*)"
    r"|(?:seq(?:uence)?s?[ _-]?len\w*|seq|context(?: length)?|kontekst\w*|sekvens\w*|max_length)\s?"
    r"(?:[=:]|of|på|is|er|at)?\s?(\d{1,3}(?:[.,]\d{3})+|\d{3,7})(?![\d.,]*\d|\s?[gk]b?\b)"
)
_TOKENS_PER_K = 1024
_ROUND_K = (10, 20, 50, 100, 200, 500)
"""Counts of k that mean a round thousand each."""

_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "six": 6, "eight": 8, "sixteen": 16, "to": 2, "tre": 3, "fire": 4,
    "seks": 6, "otte": 8, "seksten": 16,
}  # fmt: skip
_NUMBER = r"(\d{1,4}|two|three|four|six|eight|sixteen|tre|fire|seks|otte|seksten)"
_GPU_NOUN = r"(?:gpus?\b|gpu'?er\w*|gpu-?kort|cards?\b|kort(?:ene|et)?\b|h\d00s?\b|a\d00s?\b|b200s?\b|l40s?\b|ranks?\b)"
_ADJECTIVE = r"(?:x\s?|(?:nvidia|amd|rtx|such|af de samme|of the same|of them)\s)?"
_EACH = r"\s*(?:\(?\d+\s?g[bi]+\)?\s*)?(?:each|per|pr\.?|/|hver|i hver|in each|på hver)\b"
_COUNT = re.compile(rf"(?<![\w.,]){_NUMBER}\s?{_ADJECTIVE}{_GPU_NOUN}(?!{_EACH})")
_PAIR = re.compile(
    rf"(?<![\w.,])(?:{_NUMBER},\s)?(?:{_NUMBER},\s)?{_NUMBER}(?:\s?{_ADJECTIVE}{_GPU_NOUN})?,?\s(?:or|vs\.?|versus|eller|kontra|to|til|and|og|against)\s"
    rf"{_NUMBER}\s?{_ADJECTIVE}{_GPU_NOUN}(?!{_EACH})"
)
_MORE = re.compile(
    rf"{_NUMBER}\s(?:more|extra|additional|further|flere|ekstra|yderligere)\s?{_ADJECTIVE}(?:\w+\s)?{_GPU_NOUN}"
    rf"|{_NUMBER}\s{_GPU_NOUN}\s(?:(?:more|mere|ekstra)\b|til(?=\s*(?:[,.?;!]|$|eller\b|og\b)))"
)
_DOUBLE = re.compile(
    rf"(?:more|extra|additional|flere|ekstra)\s{_ADJECTIVE}{_GPU_NOUN}|twice (?:as many|the) {_GPU_NOUN}"
    rf"|(?:dobbelt så mange|det dobbelte antal) {_GPU_NOUN}|doubl\w+ the (?:number of )?{_GPU_NOUN}"
)
_HOW_MANY = re.compile(rf"(?:how many|hvor mange)\s(?:\w+\s)?{_GPU_NOUN}")
_NODES = re.compile(
    rf"(?<![\w.,]){_NUMBER}(?:\s?(?:nodes?|machines?|maskiner|noder))?,?\s(?:or|vs\.?|versus|eller|kontra|instead of"
    rf"|rather than|i stedet for|frem for)\s{_NUMBER}\s?(?:nodes?|machines?|maskiner|noder)"
)
_OF_EACH = re.compile(
    rf"(?:nodes?|machines?|maskiner|noder)\s(?:of|with|with each|à|med|af)\s{_NUMBER}\s?{_ADJECTIVE}{_GPU_NOUN}"
    rf"|{_NUMBER}\s?{_ADJECTIVE}{_GPU_NOUN}{_EACH}"
)
_USUAL_MACHINE = 8
_BATCH = re.compile(
    r"(?:micro-?\s?batch\w*|mikro-?batch\w*|batch(?: size|størrelse\w*)?|mbs)\s?(?:of|på|=|:|size|er)?\s?"
    r"((?:\d{1,3}(?:,? (?:or|vs\.?|eller|og|and|versus) |, ?)?)+)(?![\dk])"
)
_ACCUMULATION = re.compile(
    r"(?:gradient[- ]?)?(?:accumulat\w*|akkumul\w*)(?: steps| trin)?\s?(?:of|over|=|:|på|steps)?\s?"
    r"((?:\d{1,3}(?:,? (?:or|vs\.?|eller|og|and|versus) |, ?)?)+)(?![\dk])|grad_accum\w*\s?[=:]?\s?(\d{1,3})"
)
_GPU_NAME = re.compile(
    r"\b(?:gh200|[abh][12]00(?:[ -]?\d\dgb|[ -]pcie|[ -]sxm\d?)?|l40s?|l4|a10g|rtx[ -]?a?\d{4}|a6000|v100|t4"
    r"|mi\d{3}x?|[345]090)s?\b"
)
_LINK_NAME = re.compile(
    r"\b(?:rocev?2?(?:[ -]?\d{3}(?:g\w*)?)?|infiniband(?: \w*dr\b)?|\bib\b|\d{2,3} ?gbe|\d{2,3}g? ethernet|ethernet|efa"
    r"|\d{2,4} ?gb(?:/s|it/s|ps))(?!\w)"
)
_MODEL_NAME = re.compile(
    r"\b(?:[\w-]{1,40}/)?(?:llama|qwen|mistral|mixtral|gemma|phi|deepseek|tinyllama)[-_ ]?v?\d?[\d.x]*[-_ ]?"
    r"(?:v\d|mini|small)?"
    r"[-_ ]?\d*(?:x\d+)?\.?\d*b?\b"
)
_WORLD_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)


def number_mentions(text: str, ranks: int | None, per_node: int | None) -> Iterator[Mention]:
    """Yield every stated value of the axes of numbers.

    Args:
        text: The question, in lower case with uniform signs.
        ranks: GPUs as they are known from elsewhere; "4 more" counts from there.
        per_node: GPUs of a machine, where known.
    """
    yield from _lengths(text)
    yield from _counts(text, ranks, per_node)
    yield from _listed("micro_batch", _BATCH, text)
    yield from _listed("grad_accum", _ACCUMULATION, text)
    for found in _GPU_NAME.finditer(text):
        if (device := find_device(found[0])) or (device := find_device(found[0].rstrip("s"))):
            yield Mention("gpu", short_name(device.name), found.start(), found.end())
    for found in _LINK_NAME.finditer(text):
        if link := find_link(found[0]):
            yield Mention("network", link.name, found.start(), found.end())
        elif "gb/s" in found[0] or "gbps" in found[0] or "gbit" in found[0]:
            size = re.match(r"\d+", found[0])
            yield Mention("network", f"{size[0] if size else 0} Gb/s", found.start(), found.end())
    for found in _MODEL_NAME.finditer(text):
        if shape := find_shape(found[0]):
            yield Mention("model", shape.name, found.start(), found.end())


def count_of(word: str) -> int:
    """Return a count that is written in digits or as a word."""
    return int(word) if word.isdigit() else _WORDS[word]


def _lengths(text: str) -> Iterator[Mention]:
    for found in _THOUSANDS.finditer(text):
        count = int(found[1])
        yield Mention("seq_len", count * (1000 if count in _ROUND_K else _TOKENS_PER_K), found.start(), found.end())
    for found in _MILLIONS.finditer(text):
        yield Mention("seq_len", int(found[1]) << 20, found.start(), found.end())
    for found in _TOKENS.finditer(text):
        yield Mention("seq_len", int(re.sub(r"[.,]", "", found[1] or found[2])), found.start(), found.end())


def _counts(text: str, ranks: int | None, per_node: int | None) -> Iterator[Mention]:
    stated: list[tuple[int, int, int]] = []
    for found in _PAIR.finditer(text):
        stated += [(count_of(found[n]), found.start(n), found.end(n)) for n in (1, 2, 3, 4) if found[n]]
    taken = [(start, end) for _, start, end in stated]
    more = list(_MORE.finditer(text))
    taken += [found.span() for found in _OF_EACH.finditer(text)]
    for found in _COUNT.finditer(text):
        inside = any(start <= found.start() < end for start, end in taken)
        if not inside and not any(one.start() <= found.start() < one.end() for one in more):
            stated.append((count_of(found[1]), found.start(), found.end()))
    base = ranks or (min(value for value, _, _ in stated) if stated else None)
    for value, start, end in stated:
        yield Mention("gpus", value, start, end)
    for found in more:
        if base is not None:
            yield Mention("gpus", base, found.start(), found.start())
            yield Mention("gpus", base + count_of(found[1] or found[2]), found.start(), found.end())
    if not more and base is not None and (one := _DOUBLE.search(text)):
        yield Mention("gpus", base, one.start(), one.start())
        yield Mention("gpus", 2 * base, one.start(), one.end())
    if one := _HOW_MANY.search(text):
        yield from (Mention("gpus", size, one.start(), one.end()) for size in _WORLD_SIZES)
    stated_each = count_of(each[1] or each[2]) if (each := _OF_EACH.search(text)) else None
    per_machine = stated_each or per_node or _USUAL_MACHINE
    for found in _NODES.finditer(text):
        yield from (Mention("gpus", per_machine * count_of(found[n]), found.start(n), found.end(n)) for n in (1, 2))


def _listed(axis: str, pattern: re.Pattern[str], text: str) -> Iterator[Mention]:
    """Yield the numbers of a list, such as "micro-batch 1, 2 or 4"."""
    for found in pattern.finditer(text):
        place = next(n for n in range(1, len(found.groups()) + 1) if found[n])
        for number in re.finditer(r"\d{1,3}", found[place]):
            start = found.start(place) + number.start()
            yield Mention(axis, int(number[0]), start, start + len(number[0]))


def short_name(name: str) -> str:
    """Return the name by which a GPU is known among all: "H100-80GB" is what "H100" means."""
    stems = {device.name: stem for stem, device in devices().items()}
    return stems[name].upper() if name in stems else name
