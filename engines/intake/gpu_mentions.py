"""Where a text counts GPUs and machines, and whether a count holds for one machine or for all."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from contracts.request import Language
from engines.intake.counts import count, count_pattern
from engines.intake.gpu_words import MEMORY, NODE, NOUN, PER_NODE, QUALIFIED, TOTAL, TYPE
from engines.intake.tables import GPUS_PER_NODE

Scope = Literal["each", "all", "stated_total"]
"""each: GPUs of one machine; all: as far as one can tell of all; stated_total: said to be of all."""


@dataclass(frozen=True)
class Mention:
    """A count and where it stands."""

    value: int
    start: int
    end: int
    scope: Scope = "all"


@dataclass(frozen=True)
class Patterns:
    """Patterns that depend on the number words of a language."""

    gpus: re.Pattern[str]
    nodes: re.Pattern[str]
    of_them: re.Pattern[str]
    more_of_them: re.Pattern[str]
    change: re.Pattern[str]
    node_change: re.Pattern[str]
    grid: re.Pattern[str]
    small_nodes: re.Pattern[str]
    bare_per_node: re.Pattern[str]
    per_node: re.Pattern[str]
    ranks: re.Pattern[str]
    choice: re.Pattern[str]
    nodes_after: re.Pattern[str]


@lru_cache(maxsize=2)
def patterns_for(language: Language) -> Patterns:
    """Compile the patterns once for each language.

    Args:
        language: Its number words are used.

    Returns:
        The patterns, for lower-case text.
    """
    number = count_pattern(language)
    times = r"\s*(?:x|\*|stk\.?|stykker|pcs\.?|units\sof)?\s*-?\s*"
    spread = r"(?:\(|across|over|on|in|spread|split|distributed|fordelt|på|i|placeret|each|of|-|,|\s)*"
    return Patterns(
        gpus=re.compile(rf"({number}){times}{QUALIFIED}{NOUN}"),
        nodes=re.compile(rf"({number})\s*x?[\s-]*(?:(?:identical|ens|separate|compute|dgx)[\s-]+)?{NODE}"),
        of_them=re.compile(
            rf"({number})\s+(?:of\s(?:them|those|these)|af\s(?:dem|slagsen|disse))\b"
            rf"|\b(?:we|i|vi|jeg)\s(?:have|own|got|har|ejer)\s({number})(?=\s?(?:[.,;!?]|$)|\s(?:in|i|of|af|such|sådanne)\b)"
        ),
        more_of_them=re.compile(
            rf"({number})\s+(?:more|others?|mere|andre|flere|til)\s(?:like\s(?:it|that)|of\s(?:the\ssame|those|them|its)|magen\stil"
            r"|af\s(?:samme|dem|slagsen)|just\slike|identical|in\sthe\ssame|i\s(?:samme|serveren|maskinen|boksen))"
        ),
        change=re.compile(
            rf"\b(?:from|fra)\s(?:{number})\s(?:{NOUN}\s)?(?:to|til|up\sto|op\stil)\s({number})\s*(?:x\s*)?{QUALIFIED}{NOUN}"
            rf"|\b(?:from|fra)\s(?:{number})\s{NOUN}\s(?:to|til|up\sto|op\stil)\s({number})(?!\s*(?:x\s*)?{NODE}|\s?(?:gb|gib|b)\b)"
        ),
        node_change=re.compile(
            rf"\b(?:from|fra)\s(?:{number})\s(?:{NODE}\s)?(?:to|til)\s({number})\b(?=\s?{NODE})|\b(?:from"
            rf"|fra)\s(?:{number})\s{NODE}\s(?:to|til)\s({number})\b"
        ),
        grid=re.compile(rf"(?<![\w.])(\d{{1,4}})\s?x\s?(\d{{1,3}})(?!\d)\s*x?\s*{QUALIFIED}{NOUN}"),
        small_nodes=re.compile(rf"({number})\s+(?:x\s)?(\d{{1,2}})\s?-?\s?x?\s?{QUALIFIED}{NOUN}[\s-]{NODE}"),
        bare_per_node=re.compile(
            rf"\s*(?:x|\*|of|à|a|@|with|med)\s*({number})(?![\s-]*(?:nodes?|gb|g\b|tokens|k\b|b\b)"
            rf"|\s?x?\s*{QUALIFIED}{NOUN})"
        ),
        per_node=re.compile(
            rf"({number}){times}(?:{QUALIFIED}{NOUN})?(?:[\s(]*{MEMORY}\)?)?\s*"
            rf"(?:(?:per|pr\.?|a|in\sa|[io]n\s(?:each|every)|(?:i|på)\s(?:hver|en))[\s-]|/\s?){NODE}"
        ),
        ranks=re.compile(rf"({number})[\s-]+(?:gpu\s)?(?:ranks?|processes|processer)\b"),
        choice=re.compile(rf"({number})\s(?:or|eller|/)\s({number})\s*x?\s*{QUALIFIED}{NOUN}"),
        nodes_after=re.compile(rf"[\s,]*(?:\(?{MEMORY}\)?)?[\s,]*{spread}\s*(?:{number})\s*x?\s*{NODE}"),
    )


_TYPE_HERE = re.compile(TYPE)
_EACH_TAIL = re.compile(rf"[\s,)]*(?:\(?{MEMORY}\)?|-\d\d)?[\s,)]*{PER_NODE}")
_TOTAL_TAIL = re.compile(rf"[\s,(]*(?:\(?{MEMORY}\)?)?[\s,(]*{TOTAL}")
_TOTAL_HEAD = re.compile(r"(?:\s=|total of|i alt|in total|in all|altogether|tilsammen)\s*$")
_EACH_LINK = re.compile(
    r"(?=.*(?:\w|[x*@:]))(?:[\s,:;(*@-]|x\b|of\b|with\b|à|a\b|each\b|both\b|med\b|hver\b|især\b|begge\b|har\b|ha(?:s|ve|ving)\b"
    r"|hold(?:s|ing)?\b|contain(?:s|ing)?\b|which\b|that\b|som\b|der\b|containing\b|carrying\b|equipped\b|rummer\b)+"
    r"|[\s,:;(-]*(?:(?:in|on|inside|på|i)\s)?(?:each|every\sone|hver)\s(?:of\s(?:them|these|which)\s|af\sdem\s)?(?:(?:there|with|are|is|sits?"
    r"|has|have|sidder|står|er|der|med|har)\s?)*"
)
"""What may stand between machines and the GPUs of each: ", each with", "that have", "hver med"."""
_LOOSE_LINK = re.compile(r"[,(:-]*|and|og")
_TRAILING = re.compile(rf"(?:{TYPE}|\b(?:gpus?|cards?|kort))(?:[\s(-]*{MEMORY}\)?)?\s*\(?x\s?(\d{{1,4}})(?!\s?\d|x)")
_ANONYMOUS = re.compile(rf"(?<![\w.])(\d{{1,4}})\s?x\s?{MEMORY}(?![\s-]*{NOUN})")
_KEYED_TOTAL = re.compile(
    r"(?<![a-z])(?:num_|n_|total_|number of |antal |# ?)?(?:gpus|gpu'er|gpu_count|world[_ ]?size"
    r"|num_processes|n_gpu|antal)[\"']?"
    r"\s*(?::|=|\sof\s)\s*(\d{1,5})(?![\w.]*[\dgm])"
)
_KEYED_EACH = re.compile(r"(?:nproc[_-]per[_-]node|gpus?[_-]per[_-]node|gres[=:\s]+gpu(?::\w+)?)[\"']?[=:\s]+(\d{1,3})")
_RESUMED = re.compile(
    r"\b(?:resume|load|continue|restore|genoptag\w*|indlæs\w*|fortsæt\w*)(?:\s\w+){0,2}?\s(?:on|with|på"
    r"|med)\s(\d{1,4})\b"
)


def counted(pattern: re.Pattern[str], text: str) -> list[Mention]:
    """Find all counts of a pattern.

    Args:
        pattern: Its first group is the count.
        text: Lower-case text.

    Returns:
        The counts; a number that belongs to a GPU's name ("4090-kort") is none, and neither is 0.
    """
    return [
        Mention(count(found[1]), found.start(), found.end())
        for found in pattern.finditer(text)
        if not _TYPE_HERE.match(text, found.start()) and count(found[1]) > 0
    ]


def _scope(text: str, mention: Mention, nodes: list[Mention], patterns: Patterns) -> Scope:
    """Whether a count behind or before machines is for each of them."""
    if _TOTAL_TAIL.match(text, mention.end) or _TOTAL_HEAD.search(text[max(0, mention.start - 20) : mention.start]):
        return "stated_total"
    before = [node for node in nodes if node.end <= mention.start]
    link = text[before[-1].end : mention.start].strip() if before else None
    if _EACH_TAIL.match(text, mention.end) or (link is not None and _EACH_LINK.fullmatch(link)):
        return "each"
    if patterns.nodes_after.match(text, mention.end):
        return "all"
    loose = link is not None and _LOOSE_LINK.fullmatch(link)
    return "each" if loose and mention.value <= GPUS_PER_NODE else "all"


def gpu_mentions(text: str, nodes: list[Mention], patterns: Patterns) -> Iterator[Mention]:
    """Find every count of GPUs, with what it holds for.

    Args:
        text: Lower-case text.
        nodes: Where machines are counted.
        patterns: Patterns of the language.

    Yields:
        The counts, single ones ("one GPU") included.
    """
    for mention in counted(patterns.gpus, text):
        yield Mention(mention.value, mention.start, mention.end, _scope(text, mention, nodes, patterns))
    for node in nodes:
        if found := patterns.bare_per_node.match(text, node.end):
            yield Mention(count(found[1]), found.start(), found.end(), "each")
    for mention in counted(_ANONYMOUS, text):
        yield Mention(mention.value, mention.start, mention.end, _scope(text, mention, nodes, patterns))
    for pattern, scope in ((_KEYED_TOTAL, "stated_total"), (_KEYED_EACH, "each"), (_TRAILING, "all")):
        for found in pattern.finditer(text):
            yield Mention(int(found[1]), found.start(), found.end(), scope)  # type: ignore[arg-type]
    for found in _RESUMED.finditer(text):
        yield Mention(int(found[1]), found.start(), found.end())
