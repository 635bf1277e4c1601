"""Which weights are trained, as a text states it; negations count."""

import re
from collections.abc import Mapping

from engines.intake.facts import Method

_QLORA = re.compile(
    r"\bq-?lora\b|\bqdora\b|\b(?:4[\s-]?bit|nf4|int4)\b.{0,30}\blora\b|\blora\b.{0,30}\b(?:4[\s-]?bit|nf4|int4)\b"
)
_LORA = re.compile(
    r"(?<!q)(?<!q-)\blora\b|\b(?:dora|peft|ia3)\b|\badapter(?:s|e|ne)\b|\badapter[\s-](?:only|tuning"
    r"|training|weights|layers)\b"
)
_FULL = re.compile(
    r"\bfull(?:y)?[\s-]*(?:bf16\s)?(?:param\w*|weights?|fine[\s-]?tun\w*|finetun\w*|ft\b|sft\b|training"
    r"|model\s(?:fine|train)\w*|precision\sfine\w*|dpo"
    r"|pre-?train\w*|rlhf|ppo|tuning)|\b(?:all|every|each)[\s_](?!of\sthem)(?:[\w-]+\s){0,3}?(?:weights?|param\w*|layers?)\b"
    r"|\bfuld(?:e|t|stændig)?[\s-]*(?:parameter\s?)?(?:fin\w*|træn\w*|sft|fortræn\w*|param\w*|vægt\w*|ft\b)"
    r"|\b(?:alle|samtlige|hver)\s(?:[\w.-]+\s){0,3}?(?:vægt\w*|param\w*|lag\b)"
    r"|\bpre-?train\w*|\bfortræn\w*|\bfrom\sscratch|\bfra\s(?:bunden|ny|scratch)|\b(?:whole|entire"
    r"|hele)\s(?:\S+\s){1,2}?(?:is\s|be\s|skal\s)?(?:updated|trained|opdateres|trænes)|(?:^"
    r"|[,;|]\s?)full\s?(?=[,;|.]|$)|\btrainable\s?[=:]\s?all\b|\bfull[\s-]tun(?:e"
    r"|ing)\b|\b(?:everything|all\slayers)\sunfrozen|\bal\svægte?\b|\bfull-?ft\b|\bfull\srun\b"
    r"|\btrain\w*\send[- ]to[- ]end"
    r"|\b(?:all|everything|alle|alt)\s(?:\w+\s){0,2}?(?:trainable|trained|trænes|trænbare?)"
    r"|\bupdat\w+\s(?:everything|it\sall)\b|\b(?:everything|alt)\s(?:is\s|skal\s|gets\s|being\s|must\sbe\s)?(?:updated|opdateres|trænes)\b"
    r"|\btrain\w*\s(?:all|everything|the\s(?:whole|entire)\s\w+)\b(?:\sof\sit)?|\b(?:fin\w*tun\w+|fin\w*juster\w+|træn\w+)\s(?:[\w.,-]+\s){0,4}?(?:helt|fuldt)\s(?:ud|igennem)|\bnothing\s(?:is\s)?frozen|\b(?:hele|whole"
    r"|entire)\s(?:model\w*|netværk\w*)\s(?:skal\s)?(?:trænes|is\strained)"
)
_PRETRAINED = re.compile(r"\bpre-?trained|\bfortrænede?\b")
_NOT_BEFORE = re.compile(
    r"(?:\bno|\bnot|\bexpect(?:ed|s)|\bnej til|\bno to|\bafvis\w+|\brefus\w+"
    r"|\bforbid\w*|\bforbyder|\brul\w+ out|\breject\w*|\bwithout|\bnon|\bnever|\binstead of"
    r"|\brather than|\buden|\bikke(?:\s\w+){0,2}"
    r"|\bi stedet for|\bfrem for|\bn't(?:\s\w+){0,3}"
    r"|\bnot\s(?:a|use|allowed to use|want))[\s-]+(?:use\s|bruge\s|med\s|any\s|to use\s|a\s|the\s|noget\s)?$"
)
_NOT_BEHIND = re.compile(
    r"[\s,:-]*(?:(?:is|are|er|was|were|has been|have been|blev|er blevet)\s)?(?:(?:tried|tested|considered"
    r"|discussed|afprøvet|prøvet|overvejet)\s(?:and|but|og|men)\s)?(?:not\s(?:an?\soption"
    r"|allowed|acceptable|possible|enough|good|ok|wanted"
    r"|permitted|sufficient)|isn't|ruled out|rejected|forbidden|off the table"
    r"|ikke\s(?:tilladt|en\smulighed|godt\snok|muligt?|nok|ok|acceptab\w*)|forbudt|udelukket|dur ikke"
    r"|afvist|ikke\s(?:på\s)?tale)"
)
_KEY = re.compile(
    r"(?<![a-z])(?:method|metode|peft_type|(?:fine_?)?(?:tun\w*|train\w*)(?:_(?:type|method|mode))?|strategy|mode|adaptation)[\"']?\s*[:=]\s*[\"']?(full|q?lora)\b"
)
_OPTION = re.compile(r"\b(?:or|eller|vs\.?|versus|kontra)\b")


_METHODS: Mapping[str, Method] = {"full": "full", "lora": "lora", "qlora": "qlora"}
_PATTERNS: tuple[tuple[Method, re.Pattern[str]], ...] = (("qlora", _QLORA), ("lora", _LORA), ("full", _FULL))
_ALTERNATIVE_CHARS = 60
"""Characters between two methods that are named as alternatives."""
_NEGATION_CHARS = 40
"""Characters before a method in which a negation is looked for."""


def _affirmed(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return [
        found
        for found in pattern.finditer(text)
        if not _NOT_BEFORE.search(text[max(0, found.start() - _NEGATION_CHARS) : found.start()])
        and not _NOT_BEHIND.match(text, found.end())
        and not _PRETRAINED.match(text, found.start())
    ]


def _weighed(text: str, first: re.Match[str], later: re.Match[str]) -> bool:
    """Whether two methods are named as alternatives: "full or LoRA"."""
    between = text[first.end() : later.start()]
    return len(between) < _ALTERNATIVE_CHARS and bool(_OPTION.search(between))


def _aside(text: str, later: re.Match[str]) -> bool:
    """Whether the later method is a fallback: "..., or do we have to go to LoRA?"."""
    return bool(_OPTION.search(text[max(0, later.start() - _ALTERNATIVE_CHARS // 2) : later.start()]))


def extract_method(text: str) -> Method | None:
    """Find the method.

    Args:
        text: Lower-case text with uniform signs.

    Returns:
        The method; None where none is stated or where several are weighed.
    """
    if key := _KEY.search(text):
        return _METHODS[key[1]]
    hits = [(found, method) for method, pattern in _PATTERNS for found in _affirmed(pattern, text)]
    hits.sort(key=lambda hit: hit[0].start())
    if not hits:
        refused = _QLORA.search(text) or _LORA.search(text)
        return "full" if refused and _NOT_BEFORE.search(text[: refused.start()][-_NEGATION_CHARS:]) else None
    first, method = hits[0]
    others = [hit for hit in hits if (hit[1] == "full") != (method == "full")]
    if not others:
        return method
    if _weighed(text, first, others[0][0]):
        return None
    # "LoRA today, full next": what comes later is what is wanted, unless it is a fallback.
    return method if _aside(text, others[0][0]) else others[0][1]
