"""How options and conditions are called, in English and Danish."""

from collections.abc import Sequence
from typing import Any

from contracts.request import Language
from engines.study.outline import Choice, Known, Variant
from engines.study.vocabulary import by_name, default_of

_LABELS: dict[str, tuple[str, str]] = {
    "full_shard": ("full sharding", "fuld sharding"),
    "no_reshard": ("no resharding after forward (ZeRO-2)", "ingen resharding efter forward (ZeRO-2)"),
    "ddp": ("DDP", "DDP"),
    "no_ac": ("no activation checkpointing", "uden activation checkpointing"),
    "ac_full": ("full activation checkpointing", "fuld activation checkpointing"),
    "ac_selective": ("selective activation checkpointing", "selektiv activation checkpointing"),
    "no_offload": ("everything on the GPU", "alt på GPU'en"),
    "optimizer_on_cpu": ("optimizer on the CPU", "optimizer på CPU'en"),
    "cpu_offload": ("CPU offload of all sharded states", "CPU offload af alle shardede states"),
    "adamw": ("AdamW", "AdamW"),
    "adamw_8bit": ("8-bit AdamW", "8-bit AdamW"),
    "adafactor": ("Adafactor", "Adafactor"),
    "muon": ("Muon", "Muon"),
    "sgd": ("SGD", "SGD"),
    "bf16": ("bf16", "bf16"),
    "fp32": ("fp32", "fp32"),
    "float8": ("float8 matrix products", "matrixprodukter i float8"),
    "bf16_master": ("all states in bf16", "alle states i bf16"),
    "reduce_fp32": ("gradients reduced in fp32", "gradienter reduceret i fp32"),
    "reduce_bf16": ("gradients reduced in bf16", "gradienter reduceret i bf16"),
    "eager": ("eager", "eager"),
    "compiled": ("torch.compile", "torch.compile"),
    "full": ("full fine-tuning", "fuld finetuning"),
    "lora": ("LoRA", "LoRA"),
    "qlora": ("QLoRA", "QLoRA"),
    "no_tp": ("no TP", "uden TP"),
    "no_cp": ("no CP", "uden CP"),
    "no_pp": ("no PP", "uden PP"),
}


def label(variant: Variant, known: Known, language: Language) -> str:
    """Return how a variant is called; one of several axes by what it changes.

    Args:
        variant: An option or a condition.
        known: The job, for degrees that follow from the machine.
        language: In which language.
    """
    if not variant.choices:
        return ""
    if len(variant.choices) == 1:
        return _choice(variant.choices[0], known, language)
    told = [choice for choice in variant.choices if variant.whole or not _is_default(choice, known)]
    if not told:
        return ", ".join(_choice(choice, known, language) for choice in variant.choices)
    return " + ".join(_choice(choice, known, language) for choice in told)


def value_label(choice: Choice, known: Known, language: Language) -> str:
    """Return how one value of an axis is called."""
    return _choice(choice, known, language)


def number(value: float, language: Language, digits: int = 1) -> str:
    """Return a number with its thousands marked; Danish has a decimal comma.

    Args:
        value: Any number.
        language: In which language.
        digits: Decimals; none from a thousand on.
    """
    text = f"{value:,.{0 if abs(value) >= 1000 else digits}f}"
    return text.translate(str.maketrans(",.", ".,")) if language == "da" else text


def joined(words: Sequence[str], language: Language) -> str:
    """Return a list as it is spoken: a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {'og' if language == 'da' else 'and'} {words[-1]}"


def _is_default(choice: Choice, known: Known) -> bool:
    if choice.axis == "gpus":
        return bool(known.ranks == choice.value)
    default = default_of(choice.axis)
    return default is not None and default.name == choice.value


def _choice(choice: Choice, known: Known, language: Language) -> str:
    value: Any = choice.value
    danish = language == "da"
    match choice.axis:
        case "seq_len":
            return f"{number(value, language, 0)} tokens"
        case "gpus":
            noun = ("ranks" if known.on_cpu else "GPU'er") if danish else ("ranks" if known.on_cpu else "GPUs")
            return f"{value} {noun if value != 1 else noun.rstrip('s') if not danish else 'GPU'}"
        case "micro_batch":
            return f"{'mikro-batch' if danish else 'micro-batch'} {value}"
        case "grad_accum" if value == 1:
            return "1 mikro-trin" if danish else "1 micro-step"
        case "grad_accum":
            return f"{value} mikro-trin" if danish else f"{value} micro-steps"
        case "gpu" | "network" | "model":
            return str(value)
        case "sharding" if str(value).startswith("hsdp"):
            return _hsdp(str(value), known)
        case "tp" | "cp" | "pp" if "_" not in value:
            degree = value.removeprefix(choice.axis) or _usual_degree(choice.axis, known)
            return f"{choice.axis.upper()} {degree}".strip()
    return _LABELS[by_name(str(value)).name][danish]


def _usual_degree(axis: str, known: Known) -> str:
    """Return the degree that is taken where none is stated; nothing where the machine is not known."""
    if not known.per_node:
        return ""
    machines = known.nodes or 1
    return str(machines if axis == "pp" and machines > 1 else min(8, known.per_node))


def _hsdp(value: str, known: Known) -> str:
    replicas = int(value.removeprefix("hsdp_")) if "_" in value else known.nodes
    if not replicas or not known.ranks:
        return "HSDP"
    return f"HSDP {replicas} x {known.ranks // replicas}"
