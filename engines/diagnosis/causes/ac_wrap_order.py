"""Checkpoint wrapper placed outside the FSDP unit."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="ac-wrap-order",
    card="ac-order",
    signs=(
        Sign(
            4.0,
            r"checkpointwrapper\(\s*(?:\(\w+\): )?(?:fullyshardeddataparallel|fsdp)",
        ),
        Sign(
            4.0,
            (
                r"checkpoint(?:ing)?[ _]?wrapper~(?:outside|around|over|on top of)~(?:fsdp|fully_shard"
                r"|fully sharded)|(?:wrapp?ed|shard(?:ed)?)~(?:fsdp|fully_shard)?~(?:before"
                r"|first)~(?:apply_)?(?:activation )?checkpoint(?:ing|_wrapper)"
            ),
        ),
        Sign(
            4.0,
            (
                r"(?:fully_shard|fsdp)~(?:after ?wards?|after that|then|later|followed by|only after)"
                r"~(?:apply_activation_checkpoint\w*|checkpoint_wrapper|activation checkpoint\w*)"
            ),
        ),
        Sign(
            2.0,
            r"recomputed forward",
            r"pre-forward|pre_forward|assertionerror",
        ),
        Sign(
            2.0,
            r"apply_activation_checkpointing|checkpoint_wrapper",
            r"after (?:fsdp|wrapping|fully_shard)|order",
        ),
    ),
    confirm=(
        "print(model): the checkpoint wrapper stands inside each FSDP unit; one all-gather per unit and"
        " pass in the profiler"
    ),
)
