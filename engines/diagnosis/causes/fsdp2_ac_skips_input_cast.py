"""AC recompute under FSDP2 skips the input cast."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="fsdp2-ac-skips-input-cast",
    card="fsdp2-ac-skips-input-cast",
    signs=(
        Sign(
            4.0,
            (
                r"saved metadata: \{'shape': (torch\.size\(\[[^\]]*\]\)), 'dtype': torch\.(?:bfloat16"
                r"|float16)~recomputed metadata: \{'shape': \1, 'dtype': torch\.float32"
            ),
        ),
        Sign(
            3.0,
            r"recomput\w*|checkpointerror",
            r"float32|fp32",
            r"bfloat16|bf16",
            r"dtype|cast|metadata",
        ),
        Sign(
            2.0,
            r"recomputed values~different metadata",
            r"dtype|fully_shard|mixed.?precision",
        ),
        Sign(
            -3.0,
            r"longer cache|use_cache",
        ),
    ),
    confirm="saved and recomputed dtypes are equal",
)
