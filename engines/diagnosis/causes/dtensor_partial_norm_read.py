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
                r"(?:grad(?:ient)?|weight)s?[_ ]norms?~(?:differ|smaller|wrong|not the same|lower|partial"
                r"|varies|vary|each rank|per rank)"
            ),
            r"dtensor|fsdp2|fully_shard|shard|\brank",
        ),
        Sign(
            2.0,
            r"\b_?(?:norm)?partial",
            r"dtensor|placement|\bnorm",
        ),
        Sign(
            2.0,
            r"norm~\.item\(",
        ),
        Sign(
            5.0,
            r"clip_grad_norm_?\([^\n]*\)\.item\(|clip_grad_norm_\w*~\.item|_normpartial",
            r"fsdp ?2|fully_shard|dtensor",
        ),
        Sign(
            -3.0,
            r"\bfsdp1\b(?! (?:to|and|->)|,? (?:with|under))|" + HANG,
        ),
    ),
    cost="one all-reduce of a scalar",
    confirm="full_tensor() of the norm equals a single-process run's",
)
