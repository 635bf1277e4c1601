"""Ranks call different experts."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="moe-data-dependent-experts",
    card="moe-data-dependent-experts",
    signs=(
        Sign(
            4.0,
            r"expert",
            (
                r"routed|token|router|one nn\.linear|per expert|only if|different|not (?:used|called"
                r"|activated)|idle|some ranks"
            ),
            HANG + r"|mismatch|invalidate trace",
        ),
        Sign(
            3.0,
            r"\bmoe\b|mixture of experts|mixtral|a3b\b|deepseek|experts",
            HANG + r"|invalidate trace cache|times out",
        ),
        Sign(
            2.0,
            r"dense~(?:model|train|fine|work)",
            r"moe|expert|a3b",
        ),
        Sign(
            -4.0,
            (
                r"full_tensor|from_local|broadcast_from_rank0|expert parallel~(?:load|broadcast|overwrit)"
                r"|rollout engine|reserved"
            ),
        ),
    ),
    outside="without_fsdp",
    cost="a dummy token for idle experts",
    confirm="a batch in which an expert gets no token passes",
)
