"""Reference model not wrapped/moved under FSDP."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="ref-model-not-wrapped",
    card="frozen-reference-model",
    signs=(
        Sign(
            5.0,
            r"ref(?:erence)?[ _-]?(?:model|log_?probs?)|teacher(?: model)?|reward model",
            r"wrap|prepare|fsdp|device|memory|cpu|shard|dtensor",
        ),
        Sign(
            5.0,
            r"\bdpo\b|\bgrpo\b|\bppo\b|\bkto\b|distill",
            r"at least two devices",
        ),
        Sign(
            -3.0,
            r"two forward|reserved|\.generate\(|ema weights|duplicate gpu",
        ),
    ),
    cost="a gather of the reference model in each step",
    confirm="its parameters are DTensors; memory falls by (1 - 1/N) of it",
)
