"""What a question can weigh: axes, their values, the words that mean them in English and Danish.

Patterns are for lower-case text with uniform signs. `changes` are fields of a training setup;
those that begin with "@" are the machine's or need one to be resolved (`outline.Changes`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_OPTIMIZER = r"(?:optimi[sz]er\w*|adamw?\w*|optimi[sz]er[- ]?(?:state|tilstand)\w*)"
_ON = r"(?:on|to|onto|into|in|over på|over i|over til|ud på|på|til|i)"
_HOST = r"(?:the |our )?(?:cpu\w*|host\w*|ram\b|værts\w*|system\s?memory|host\s?memory)"


@dataclass(frozen=True)
class Value:
    """One value of an axis."""

    axis: str
    """Axis that it belongs to."""
    name: str
    """Its name; also the key of its label."""
    pattern: str
    """Words that mean it; empty: it is never named, it only holds by default."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """What it sets."""
    default: bool = False
    """Whether it holds where the axis is not spoken of."""


VALUES: tuple[Value, ...] = (
    Value(
        "sharding",
        "full_shard",
        r"full(?:y)?[- _]?shard(?!ed ?data)\w*|zero[- ]?(?:stage )?3|fuld\w* ?shard\w*|\bplain fsdp|(?<!no )resharding",
        {"reshard_after_forward": True, "reshard_last": True, "dp_replicate": 1},
        default=True,
    ),
    Value(
        "sharding",
        "hsdp",
        r"\bhsdp\w*|hybrid\w*[- _]?shard\w*|shard\w* (?:within|inside|inden for|i hver)\w* (?:each |the |hver )?"
        r"(?:node|machine|maskine)\w*|replicat\w+ across",
        {"@replicas": 0},
    ),
    Value(
        "sharding",
        "no_reshard",
        r"zero[- ]?(?:stage )?2|shard_grad_op|reshard[_ ]after[_ ]forward\s?(?:=|to|set to|på|:)?\s?(?:false|off|fra)"
        r"|(?:no|without|uden|not) reshard\w*|keep\w* (?:the )?(?:param\w*|weights) (?:gathered|unsharded)",
        {"reshard_after_forward": False, "reshard_last": False},
    ),
    Value("sharding", "ddp", r"\bddp\b|distributed ?data ?parallel(?:\b|ism)", {"fsdp": 0}),
    Value(
        "ac",
        "no_ac",
        r"(?:no|without|uden) (?:full |fuld |any )?(?:(?:activation |gradient |aktiverings-?)?(?:re)?checkpoint\w*|ac\b"
        r"|recomput\w+|genberegn\w*)",
        {"ac": "none"},
        True,
    ),
    Value(
        "ac",
        "ac_selective",
        r"selectiv\w* (?:activation )?(?:ac\b|checkpoint\w*)|selektiv\w* (?:activation )?checkpoint\w*|selective ac",
        {"ac": "selective_op"},
    ),
    Value(
        "ac",
        "ac_full",
        r"(?:full )?(?:activation|gradient|aktiverings?)[- _]?(?:re)?checkpoint\w*|recomput\w+|genberegn\w*|\bfull ac\b"
        r"|\bac\b",
        {"ac": "full"},
    ),
    Value("offload", "no_offload", r"(?:no|without|uden) (?:cpu[- ]?)?offload\w*", {"cpu_offload": False}, True),
    Value(
        "offload",
        "optimizer_on_cpu",
        rf"{_OPTIMIZER}(?: \w+){{0,2}}? (?:offload\w* )?{_ON} {_HOST}|offload\w*(?: \w+)? {_OPTIMIZER}"
        rf"|{_OPTIMIZER}[- ]offload\w*|{_OPTIMIZER} offload\w*",
        {"@optimizer_on_cpu": True},
    ),
    Value(
        "offload",
        "cpu_offload",
        r"(?:cpu|parameter)[- _]?offload\w*|\boffload\w*(?: \w+)?(?: (?:to|til|på) cpu\w*)?"
        r"|cpuoffloadpolicy",
        {"cpu_offload": True},
    ),
    Value(
        "optimizer",
        "adamw_8bit",
        r"8[- ]?bits?[- ]?(?:adam\w*|optim\w*|optimizer\w*)|adamw?[-_ ]?8[-_ ]?bit|bnb\b|bitsandbytes",
        {"optimizer": "adamw_8bit"},
    ),
    Value("optimizer", "adamw", r"\b(?:plain |normal |fp32 |32-bit )?adamw?\b(?! ?-?8)", {"optimizer": "adamw"}, True),
    Value("optimizer", "adafactor", r"\badafactor\b", {"optimizer": "adafactor"}),
    Value("optimizer", "muon", r"\bmuon\b", {"optimizer": "muon"}),
    Value("optimizer", "sgd", r"\bsgd\b", {"optimizer": "sgd"}),
    Value(
        "reduction",
        "reduce_fp32",
        r"(?:fp32|32-bit) (?:gradient )?reduc\w*|reduce[_ ]dtype\s?[=:]?\s?(?:fp32|float32)",
        {"reduce_dtype": "fp32"},
        True,
    ),
    Value(
        "reduction",
        "reduce_bf16",
        r"bf16 (?:gradient )?reduc\w*|reduce[_ ]dtype\s?[=:]?\s?(?:bf16|bfloat16)"
        r"|reduc\w+ (?:gradient\w* )?(?:in|i) bf16",
        {"reduce_dtype": "bf16"},
    ),
    Value("precision", "bf16", r"\bbf16\b(?! reduc)|\bbfloat16\b", {"param_dtype": "bf16"}, True),
    Value(
        "precision",
        "fp32",
        r"\bfp32\b(?! (?:reduc|master|grad))|\bfloat32\b|full precision|fuld præcision",
        {"param_dtype": "fp32"},
    ),
    Value(
        "precision",
        "float8",
        r"\bfp8\b|\bfloat8\b|8-bit matmul\w*",
        {"float8": "tensorwise", "float8_all_gather": True},
    ),
    Value(
        "precision",
        "bf16_master",
        r"(?:pure|ren|all|alt i|everything in) bf16|bf16 (?:master\w*|only)",
        {"master_dtype": "bf16"},
    ),
    Value("compiling", "eager", r"\beager\b", {"compile": False}, True),
    Value("compiling", "compiled", r"torch\.?compile\w*|\bcompile[sdr]?\b|kompiler\w*", {"compile": True}),
    Value(
        "method",
        "full",
        r"full[- ](?:parameter )?(?:fine-?tun\w*|finetun\w*|ft\b|sft\b|training)|fuld\w* ?(?:fin\w*"
        r"|træn\w*)|full-?ft|all (?:the )?weights|alle vægte",
        {"lora_rank": 0, "base_bits": 16},
        True,
    ),
    Value("method", "qlora", r"\bq-?lora\b", {"lora_rank": 16, "base_bits": 4}),
    Value("method", "lora", r"(?<!q)(?<!q-)\blora\b|\badapters?\b", {"lora_rank": 16}),
    Value("tp", "no_tp", "", {"tp": 1}, True),
    Value("tp", "tp", r"tensor[- ]?parallel\w*|\btp\b", {"@tp": 0}),
    Value("cp", "no_cp", "", {"cp": 1}, True),
    Value("cp", "cp", r"context[- ]?parallel\w*|ring[- ]?attention|\bcp\b", {"@cp": 0}),
    Value("pp", "no_pp", "", {"pp": 1}, True),
    Value("pp", "pp", r"pipeline[- ]?parallel\w*|\bpp\b", {"@pp": 0}),
)
"""The values that have words of their own; those that are numbers are read by `numbers`."""

NUMBER_AXES = ("seq_len", "gpus", "gpu", "network", "micro_batch", "grad_accum", "model")
"""Axes whose values are stated as they are."""

CONDITION_AXES = frozenset({"seq_len", "gpu", "network", "micro_batch", "grad_accum", "model"})
"""Axes that are conditions by nature: under them options are weighed, unless they are all that varies."""


def by_name(name: str) -> Value:
    """Return a value by its name.

    Raises:
        KeyError: There is none.
    """
    return _BY_NAME[name]


def default_of(axis: str) -> Value | None:
    """Return what holds where an axis is not spoken of; None for axes of numbers."""
    return next((value for value in VALUES if value.axis == axis and value.default), None)


_BY_NAME = {value.name: value for value in VALUES}
