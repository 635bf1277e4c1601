"""Gradient scaler on CPU gradients."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="sharded-scaler-cpu-offload",
    card="sharded-scaler-cpu-offload",
    signs=(
        Sign(
            6.0,
            r"_amp_foreach_non_finite_check",
        ),
        Sign(
            4.0,
            r"gradscaler|grad scaler|shardedgradscaler|loss scal|found_inf",
            r"offload|cpu",
        ),
    ),
    cost="bf16 needs hardware that has it",
    confirm="a step with a finite scale passes",
)
