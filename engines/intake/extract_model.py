"""Which model a text names, and how many parameters it says there are."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engines.intake.counts import decimal
from engines.intake.facts import Conflict
from engines.intake.names import model_size_b

_SIZE = r"(?:\d{1,3}\s?x\s?)?\d{1,4}(?:[.,]\d+)?\s?[bm](?![a-z0-9])"
_FAMILIES = (
    r"(?:code|tiny|open|smol)?-?llama(?![-_. ]?(?:cpp|index|factory|stack|recipes|parse|guard))"
    r"|(?:open)?mistral|mixtral|ministral|(?:code)?qwen|(?:code)?gemma|pythia|gpt-?neox?|gpt-?j"
    r"|gpt-?2|gpt-oss|deepseek|olmoe?|starcoder|(?:modern|distil)?bert|(?:xlm-)?roberta|deberta|electra"
    r"|(?:flan-|m|by)?t5|vit"
    r"|resnet|u-?net|convnext|swin|whisper|wav2vec2?|stable[ -]diffusion|sdxl|siglip|dinov?|mamba|command-r|nemotron"
    r"|efficientnet|mobilenet|densenet|inception|regnet|yolo|conformer|hubert|bge|gte|nomic|jina|segformer|detr|deit|beit"
    r"|pixtral|idefics|blip|florence|nllb|m2m100|marian|pegasus|bart|longformer|albert|xlnet|gpt-?neo|esm-?[12]|unet"
    r"|pegasus|minilm|mpnet|colbert|splade|granite-code|molmo|paligemma|codellama|wizard(?:lm|coder)|cosmos|llada"
    r"|smollm|dbrx|jamba|zephyr|vicuna|munin|llava|internvl|apertus|eurollm|exaone|internlm|baichuan|chatglm|glm-\d"
)
_COMMON_WORDS = r"yi|opt|phi|flux|clip|solar|aya|granite|bloom|mpt|falcon|viking|grok|kimi|aurora|hermes"
"""Families that are also ordinary words or people: they count with a number behind them only."""
_VERSION = (
    r"[-_ ]?v?\d(?:\.\d{1,2}){0,2}(?!\d|\s?(?:x|\*|stk|gpu|gb|k\b|nodes?|noder|[bm]\b|ranks?|hours?|%|epochs?|steps?)"
    r"|[.,]\d)(?![a-z])"
)
_SUFFIX = (
    r"[-_ ](?:large|base|small|medium|mini|tiny|xxl|xl|huge|turbo|instruct|chat|it|hf|coder|math|code|nemo"
    r"|uncased|cased"
    r"|lite|vl|moe|distill|scout|maverick|r1|v\d(?:\.\d)?|a\d+b|[lbshmgx](?:\d|/\d{2})?|\d{2})(?![a-z0-9])"
)
_PREFIX = (
    r"(?:(?!(?:q?lora|dora|peft|full|sft|dpo|ppo|base|pre|fine|tun\w*|train\w*|size|style|class|our|my|non|the|in|on"
    r"|of|from|like|pretrained|bf16|fp16|fp8|int[48]|fsdp\d?|ddp|hsdp|vllm|hf|with|med|af|på|og|\d+)-)[a-z][a-z0-9.]*-){0,2}"
)
"""What a derived model has before the family it comes from: "E5-Mistral-7B"."""
_MODEL = re.compile(
    rf"(?<![\w.])(?:[\w.-]{{2,30}}/)?{_PREFIX}(?:(?:{_FAMILIES})(?:[-_ ]?{_SIZE}|{_VERSION}|{_SUFFIX})*"
    rf"|(?:{_COMMON_WORDS})(?:[-_ ]?{_SIZE}|{_VERSION}|{_SUFFIX})+)(?![a-z0-9])"
)
_TOKENS_BEHIND = (
    r"\s?(?:[-\s]?(?:tokens?|samples?|examples?|rows?|docs?|documents?|eksempler|rækker|dokumenter|users?"
    r"|brugere|images?"
    r"|billeder|requests?|pages|sider|records|kr\b|dkk|usd|eur|dollars?|euros?|kroner|pairs?|words|ord\b"
    r"|/\s?param|per param"
    r"|pr\.? param|bytes?/|/p\b|ms\b|sek|steps|items))"
)
_BILLIONS = re.compile(
    r"(?<![\w.,$€])(?P<n>\d{1,4}(?:[.,]\d{1,3})?)(?:-?ish)?(?:\s?(?P<unit>b|bn|t)(?![a-z0-9])"
    r"|[\s-]?(?P<word>billions?|milliarder|milliard"
    rf"|mia\.?|trillions?)(?![a-z]))(?!{_TOKENS_BEHIND})(?!\s?(?:/|per|pr\.)\s?param)"
)
_KEYED = re.compile(
    r"(?<![a-z_])(?:params?|parameters|n_params|num_params"
    r"|parametre)[\"']?\s?[:=]\s?(?P<n>\d{1,4}(?:\.\d+)?e\d{1,2}|\d{6,13})(?![\w.])"
)
_MILLIONS = re.compile(
    r"(?<![\w.,$€])(?P<n>\d{1,4}(?:[.,]\d{1,3})?)(?:\s?m|[\s-]?(?:millions?|millioner|mio\.?))(?![a-z0-9])"
    rf"(?!{_TOKENS_BEHIND})"
)
_MODEL_BEHIND = re.compile(
    r"[\s-]*(?:\w+[\s-]+){0,2}?(?:param\w*|model\w*|encoders?|decoders?|transformer\w*|u-?net|net\b"
    r"|network|netværk|bert|classifier"
    r"|policy|head|weights|vægte|llm|lm\b|vit\b|t5|cnn|embedder|train\w*|pre-?train\w*|træn\w*|detector|backbone)"
)
_MODEL_BEFORE = re.compile(
    r"\b(?:lm|llm|model|encoder|decoder|transformer|net|network|classifier|size|størrelse)[\s:,(=-]{1,3}$"
    r"|\b(?:model|encoder|embedder|embedding|backbone|network|netværk)\s(?:[\w./+-]+\s){1,2}\($"
)
_TRANSITION = re.compile(r"(?:\bto|\btil|->|=>|instead of|i stedet for)\s*(?:an?|en|et)?\s*$")
_ROLE = r"(?:reference|ref\b|teacher|critic|reward|judge|verifier|frozen|draft|frossen|lærer\w*|belønning\w*)"
_ROLE_BEHIND = re.compile(rf"[\s-]*(?:model\s)?(?:as\s|som\s)?{_ROLE}")
_ROLE_BEFORE = re.compile(rf"{_ROLE}\s(?:model\s)?(?:of\s|på\s|is\s|er\s|\()?$")
_FROZEN = re.compile(r"\b(?:reference|ref|teacher|frozen|frossen|lærer\w*)\b")
_PREFERENCES = re.compile(r"\b(?:dpo|ppo|rlhf|grpo|kto|ipo)\b")
_REFERENCE = re.compile(
    r"(?:\b(?:with|plus|and|med|og)|,)\s(?:an?\s|the\s|its\s|en\s|den\s)?(?:frozen\s|frossen\s)?"
    r"(?:reference|ref|reference-?model\w*|referencemodel\w*)(?![\w-])"
)
_SIZE_TOLERANCE = 0.1


@dataclass(frozen=True)
class Size:
    """A stated parameter count, in billions, and where it stands."""

    params_b: float
    start: int
    end: int
    aside: bool
    """Whether it belongs to a second model (reference, teacher, critic)."""
    new: bool
    """Whether it is what is changed to."""


def extract_model(text: str, lower: str) -> tuple[str | None, int, int]:
    """Find the first model that is named.

    Args:
        text: The text as written.
        lower: The same in lower case.

    Returns:
        The name as written and its place; (None, -1, -1) where none is named.
    """
    for found in _MODEL.finditer(lower):
        name = text[found.start() : found.end()].strip(" -_")
        # "Llama(cfg)" is code, and a link is no name.
        if lower[found.end() : found.end() + 1] == "(" or name.lower().startswith(("http", "//")):
            continue
        return name, found.start(), found.end()
    return None, -1, -1


def _sizes(lower: str, start: int, end: int) -> Iterator[Size]:
    expert = re.compile(r"(?<![\w.])\d{1,3}\s?x\s?\d+(?:[.,]\d+)?\s?b(?![a-z0-9])")
    for found in expert.finditer(lower):
        # The name before it may tell more than the product of the numbers ("Mixtral 8x7B").
        inside = start <= found.start() < end
        if value := model_size_b(lower[start:end] if inside else found[0]):
            yield _size(lower, value, found.start(), found.end())
    for found in _KEYED.finditer(lower):
        yield _size(lower, float(found["n"]) / 1e9, found.start(), found.end())
    for found in _BILLIONS.finditer(lower):
        spaced = found["unit"] and lower[found.end("n")] == " "
        if spaced and not _MODEL_BEHIND.match(lower, found.end()):
            continue
        scale = 1e3 if found["unit"] == "t" or (found["word"] or "").startswith("trill") else 1.0
        if scale > 1 and not _MODEL_BEHIND.match(lower, found.end()):
            continue
        if decimal(found["n"]) > 0:
            yield _size(lower, decimal(found["n"]) * scale, found.start(), found.end())
    for found in _MILLIONS.finditer(lower):
        named = _MODEL_BEFORE.search(lower[max(0, found.start() - 24) : found.start()])
        near_name = (
            named or 0 <= start - found.end() <= 2 or 0 <= found.start() - end <= 5 or start <= found.start() < end
        )
        if decimal(found["n"]) > 0 and (near_name or _MODEL_BEHIND.match(lower, found.end())):
            yield _size(lower, decimal(found["n"]) / 1e3, found.start(), found.end())


def _size(lower: str, params_b: float, start: int, end: int) -> Size:
    aside = bool(_ROLE_BEHIND.match(lower, end) or _ROLE_BEFORE.search(lower[max(0, start - 40) : start]))
    return Size(params_b, start, end, aside, bool(_TRANSITION.search(lower[max(0, start - 20) : start])))


def _frozen(lower: str, aside: list[Size]) -> float | None:
    frozen = [size for size in aside if _FROZEN.search(lower[max(0, size.start - 24) : size.end + 24])]
    return frozen[0].params_b if frozen else None


def holds_reference(lower: str) -> bool:
    """Whether preferences are trained beside a frozen reference, which is as large as the policy.

    Args:
        lower: Lower-case text with uniform signs.
    """
    return bool(_PREFERENCES.search(lower) and _REFERENCE.search(lower))


def extract_params(
    lower: str, model: str | None, start: int, end: int
) -> tuple[float | None, float | None, tuple[Conflict, ...]]:
    """Find the parameter count of the trained model.

    Args:
        lower: Lower-case text with uniform signs.
        model: The model that is named, if any.
        start: Where its name begins.
        end: Where its name ends.

    Returns:
        Billions of parameters of the trained model, those of a frozen second model, and the
        contradictions between statements.
    """
    found = sorted(_sizes(lower, start, end), key=lambda size: size.start)
    main = [size for size in found if not size.aside]
    frozen = _frozen(lower, [size for size in found if size.aside])
    named = model_size_b(model) if model else None
    stated = [size.params_b for size in main if not start <= size.start < end]
    changed = [size.params_b for size in main if size.new]
    if changed and len(main) > 1:
        return changed[-1], frozen, ()
    if named is None:
        chosen = main[0].params_b if main else (found[0].params_b if found else None)
        others = [value for value in stated if chosen and abs(value - chosen) > _SIZE_TOLERANCE * max(value, chosen)]
        conflicts = tuple(Conflict("params_b", f"{chosen:g}B", f"{other:g}B", f"{chosen:g}B") for other in others[:1])
        return chosen, frozen, conflicts
    others = [value for value in stated if abs(value - named) > _SIZE_TOLERANCE * max(value, named)]
    if others and re.search(r"\d\s?[bm]\b", model or "", re.IGNORECASE):
        return named, frozen, (Conflict("params_b", f"{named:g}B", f"{others[0]:g}B", f"{named:g}B"),)
    return (stated[0] if stated else named), frozen, ()
