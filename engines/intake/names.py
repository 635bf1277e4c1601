"""Models by name: families that are recognised, and the size that a name tells."""

import re
from collections.abc import Mapping

from knowledge.shapes import find_shape

UNSIZED: Mapping[str, float] = {
    "gpt-2-xl": 1.56,
    "gpt-2-large": 0.774,
    "gpt-2-medium": 0.355,
    "gpt-2": 0.124,
    "gpt-j": 6.05,
    "gpt-neox": 20.6,
    "bert-large": 0.335,
    "bert-base": 0.11,
    "bert": 0.11,
    "roberta-large": 0.355,
    "roberta-base": 0.125,
    "xlm-roberta-large": 0.56,
    "xlm-roberta-base": 0.278,
    "deberta-v3-large": 0.434,
    "t5-small": 0.06,
    "t5-base": 0.22,
    "t5-large": 0.77,
    "t5-xl": 3.0,
    "t5-xxl": 11.3,
    "whisper-large-v3": 1.55,
    "whisper-large": 1.55,
    "whisper-medium": 0.769,
    "whisper-small": 0.244,
    "vit-large": 0.307,
    "vit-base": 0.086,
    "resnet-50": 0.0256,
    "resnet-18": 0.0117,
    "phi-2": 2.7,
    "starcoder": 15.5,
    "command-r-plus": 104.0,
    "command-r+": 104.0,
    "command-r": 35.0,
    "dbrx": 132.0,
    "grok-1": 314.0,
    "deepseek-r1": 671.0,
    "deepseek-v2": 236.0,
    "sdxl": 2.6,
    "llama-4-scout": 109.0,
    "llama-4-maverick": 400.0,
    "mistral-large": 123.0,
    "mistral-nemo": 12.2,
    "vit-b": 0.086,
    "vit-l": 0.304,
    "vit-h": 0.632,
    "modernbert-base": 0.149,
    "modernbert-large": 0.395,
    "deberta-v3-base": 0.184,
    "glm-4.5-air": 106.0,
    "glm-4.5": 355.0,
    "kimi-k2": 1000.0,
}
"""Parameters in billions of models that `knowledge/models` does not have and whose name
tells no size. Source: their model cards."""

_EXPERT_NAME = re.compile(r"(?<![\d.])(\d{1,3})\s?x\s?(\d+(?:[.,]\d+)?)\s?b\b", re.IGNORECASE)
_SIZE_NAME = re.compile(r"(?<![\d.,a-z])(\d+(?:[.,]\d+)?)\s?([bm])(?![a-z\d])", re.IGNORECASE)


def _key(name: str) -> str:
    """`GPT2 XL`, `gpt-2-xl` and `gpt2_xl` are one name."""
    key = re.sub(r"[\s_]+", "-", name.strip().lower().rsplit("/", 1)[-1])
    key = re.sub(r"-(?:uncased|cased|instruct|chat|base-hf|hf|it)\b", "", key)
    return re.sub(r"\b(gpt|resnet|phi)-?(?=\d)", r"\1-", key)


def model_size_b(name: str) -> float | None:
    """Read the parameter count out of a model's name.

    Args:
        name: Such as "Llama-3.1-8B", "Mixtral 8x7B", "gpt2-xl" or "meta-llama/Llama-2-7b-hf".

    Returns:
        Billions of parameters (1e9); None where the name tells none.
    """
    if found := _EXPERT_NAME.search(name):
        # Attention is shared between the experts: a known shape is below the product.
        known = find_shape(name)
        return round(known.params / 1e9, 1) if known else int(found[1]) * float(found[2].replace(",", "."))
    if found := _SIZE_NAME.search(name):
        value = float(found[1].replace(",", "."))
        return value if found[2] in "bB" else value / 1e3
    if known := find_shape(name):
        return round(known.params / 1e9, 1)
    key = _key(name)
    matching = [known for known in UNSIZED if key == known or key.startswith(f"{known}-")]
    return UNSIZED[max(matching, key=len)] if matching else None
