"""Which weights are trained, as a text states it; negations count."""

import re

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
    r"|pre-?train\w*|rlhf|ppo|tuning)|\b(?:all|every|each)\s(?:of\s)?(?:the\s|our\s"
    r"|its\s)?(?:model\s)?(?:weights?|param\w*|layers)"
    r"|\bfuld(?:e|t|stændig)?[\s-]*(?:parameter\s?)?(?:fin\w*|træn\w*|sft|fortræn\w*|param\w*|ft\b)"
    r"|\balle\s(?:modellens\s)?(?:vægte\w*|parametre\w*|lag\b)"
    r"|\bpre-?train\w*|\bfortræn\w*|\bfrom\sscratch|\bfra\s(?:bunden|ny|scratch)|\b(?:whole|entire"
    r"|hele)\s(?:\S+\s){1,2}?(?:is\s|be\s|skal\s)?(?:updated|trained|opdateres|trænes)|\bfull[\s-]tun(?:e"
    r"|ing)\b|\b(?:everything|all\slayers)\sunfrozen|\bal\svægte?\b|\bfull-?ft\b|\bfull\srun\b"
    r"|\btrain\w*\send[- ]to[- ]end"
    r"|\b(?:all|everything|alle|alt)\s(?:\w+\s){0,2}?(?:trainable|trained|trænes|trænbare?)"
    r"|\btræn\w+\s(?:helt|fuldt)\s(?:ud|igennem)|\bnothing\s(?:is\s)?frozen|\b(?:hele|whole"
    r"|entire)\s(?:model\w*|netværk\w*)\s(?:skal\s)?(?:trænes|is\strained)"
)
_PRETRAINED = re.compile(r"\bpre-?trained|\bfortrænede?\b")
_NOT_BEFORE = re.compile(
    r"(?:\bno|\bnot|\bwithout|\bnon|\bnever|\binstead of|\brather than|\buden|\bikke(?:\s\w+){0,2}"
    r"|\bi stedet for|\bfrem for|\bn't(?:\s\w+){0,3}"
    r"|\bnot\s(?:a|use|allowed to use|want))[\s-]+(?:use\s|bruge\s|med\s|any\s|to use\s|a\s|the\s|noget\s)?$"
)
_NOT_BEHIND = re.compile(
    r"[\s,:-]*(?:(?:is|are|er)\s)?(?:not\s(?:an?\soption|allowed|acceptable|possible|enough|good|ok|wanted"
    r"|permitted|sufficient)|isn't|ruled out"
    r"|ikke\s(?:tilladt|en\smulighed|godt\snok|muligt?|nok|ok|acceptab\w*)|forbudt|udelukket|dur ikke"
    r"|er udelukket|(?:was|were)\s(?:rejected|ruled out))"
)
_KEY = re.compile(r"\b(?:method|metode|peft_type|finetuning_type|tuning)[\"']?\s*[:=]\s*[\"']?(full|q?lora)\b")
_OPTION = re.compile(r"\b(?:or|eller|vs\.?|versus|kontra)\b")


def _affirmed(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    return [
        found
        for found in pattern.finditer(text)
        if not _NOT_BEFORE.search(text[max(0, found.start() - 40) : found.start()])
        and not _NOT_BEHIND.match(text, found.end())
        and not _PRETRAINED.match(text, found.start())
    ]


def extract_method(text: str) -> Method | None:
    """Find the method.

    Args:
        text: Lower-case text with uniform signs.

    Returns:
        The method; None where none is stated or where several are weighed.
    """
    if key := _KEY.search(text):
        return {"full": "full", "lora": "lora", "qlora": "qlora"}[key[1]]  # type: ignore[return-value]
    qlora, lora, full = (_affirmed(pattern, text) for pattern in (_QLORA, _LORA, _FULL))
    adapted: Method | None = "qlora" if qlora else "lora" if lora else None
    if adapted and full:
        first, second = sorted([(qlora or lora)[0].span(), full[0].span()])
        between = text[first[1] : second[0]]
        if _OPTION.search(between) and len(between) < 60:
            return None
        return adapted if full[0].start() > (qlora or lora)[0].start() else "full"
    if (
        qlora
        and lora
        and _OPTION.search(text[min(qlora[0].start(), lora[0].start()) : max(qlora[0].start(), lora[0].start())])
    ):
        return "lora" if lora[0].start() < qlora[0].start() else "qlora"
    if adapted:
        return adapted
    refused = _QLORA.search(text) or _LORA.search(text)
    return "full" if full or (refused and _NOT_BEFORE.search(text[: refused.start()][-40:])) else None
