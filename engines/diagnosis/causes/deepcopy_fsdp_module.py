"""Deepcopy of a wrapped module (EMA etc.)."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="deepcopy-fsdp-module",
    card="deepcopy-after-shard",
    signs=(
        Sign(
            6.0,
            r"fsdp does not support deepcopy",
        ),
        Sign(
            4.0,
            r"deep ?-?cop(?:y|ies|ied)|averagedmodel|swa_utils",
            r"fsdp|shard|wrap|cannot pickle|ema",
        ),
        Sign(
            1.0,
            r"cannot pickle .module. object|\bema\b",
        ),
    ),
    cost="a second set of shards for the copy",
    confirm="the copy's parameters equal the model's after loading its state dict",
)
