"""Norm of sharded gradients read before reduction."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="dtensor-partial-norm-read",
    card="dtensor-partial-item",
    signs=(
        Sign(
            5.0,
            r"norm\(\)\.item\(\)|\.(?:sum|mean|max|norm)\(\)\.item",
        ),
        Sign(
            4.0,
            (
                r"(?:grad(?:ient)?|weight)?.?norm~(?:differ|smaller|wrong|not the same|lower|partial|local"
                r"|each rank|per rank)"
            ),
            r"dtensor|fsdp2|fully_shard|shard|rank",
        ),
        Sign(
            2.0,
            r"partial",
            r"dtensor|_partial|placement|norm",
        ),
        Sign(
            -3.0,
            r"clip_grad_norm_|fsdp1|" + HANG,
        ),
    ),
)
