"""Model dtype differs between ranks at sync."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="rank-dtype-mismatch-in-broadcast",
    card="rank-dtype-mismatch-in-broadcast",
    signs=(
        Sign(
            4.0,
            r"sync_module_states|broadcast",
            (
                r"to_empty|rank 0 (?:loads?|has|holds|reads)|dtypes?~(?:differ|mismatch)|differ\w*~dtype"
                r"|(?:bf16|bfloat16)~other ranks"
            ),
            HANG + r"|sizes do not match|never",
        ),
        Sign(
            2.0,
            r"rank 0~(?:bf16|bfloat16|fp16|float16)~(?:other|rest)~(?:fp32|float32)|dtype~differ~rank",
            HANG + r"|broadcast",
        ),
        Sign(
            5.0,
            (
                r"rank ?0\b~(?:fp32|float32)~(?:ranks? ?[1-9]|others?|rest)~(?:bf16|bfloat16|fp16|float16)"
                r"|rank ?0\b~(?:bf16|bfloat16|fp16|float16)~(?:ranks? ?[1-9]|others?|rest)~(?:fp32|float32)"
            ),
            HANG + r"|broadcast|sync",
        ),
        Sign(
            4.0,
            r"rank ?\d+\b[^\n]{0,60}(?:bf16|bfloat16|fp16|float16)",
            r"rank ?\d+\b[^\n]{0,60}(?:fp32|float32)",
            r"data size doesn't match|sizes do not match|mismatch",
        ),
        Sign(
            -3.0,
            r"hybrid|\bbuffers? |no backend|at least two devices",
        ),
        Sign(
            -4.0,
            r"(?:same|equal) dtype|dtypes? (?:is|are) (?:the )?(?:same|equal)",
        ),
    ),
    confirm="the dtypes are printed equal on all ranks before wrapping",
)
