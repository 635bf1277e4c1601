"""Tied weights in different units."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="tied-params-split-units",
    card="tied-params-split-groups",
    signs=(
        Sign(
            6.0,
            r"shared with a parameter already managed|shared/tied parameters",
        ),
        Sign(
            5.0,
            (
                r"tied|tie_word_embeddings|weight.?tying|shared (?:weights?|embedding)|share (?:one |the same "
                r"|a )?(?:parameter|weight|tensor)"
            ),
            r"embed|lm_head|unit|group|wrap|fully_shard|fsdp",
        ),
        Sign(
            -3.0,
            r"size mismatch, got input|vec \(",
        ),
    ),
    cost="one unit holds both",
    confirm="embedding.weight is lm_head.weight after a step, or both are equal",
)
