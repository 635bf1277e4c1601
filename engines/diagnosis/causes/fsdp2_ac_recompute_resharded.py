"""AC recompute under FSDP2 sees sharded parameters."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="fsdp2-ac-recompute-resharded",
    card="fsdp2-ac-recompute-resharded",
    signs=(
        Sign(
            4.0,
            r"mixed torch\.tensor and dtensor",
            r"recomput|checkpoint\.py|activation checkpointing|gradient checkpointing",
        ),
        Sign(
            3.0,
            r"two forward|several forward|multiple forward|second forward|forward passes",
            r"checkpointing|recomput",
            r"dtensor|sharded|resharded|backward",
        ),
        Sign(
            2.0,
            r"recomput",
            r"sharded|dtensor|reshard",
        ),
        Sign(
            4.0,
            r"recomput",
            r"(?:weights?|param\w*)~(?:local shard|shards?|sharded)~instead|(?:local )?shards? instead of",
        ),
        Sign(
            1.0,
            r"recomputed values",
        ),
        Sign(
            -3.0,
            r"\.generate\(",
        ),
    ),
    quantity="recomputed_shard",
    confirm="backward passes with one forward per backward, or with torch where it is mended",
)
