"""Rank conditional collective.

A collective (or a save/gather that contains one) is reached by some ranks only, because of an if on rank or
on gradients.
"""

from engines.diagnosis.cause import HANG, NCCL_TIMEOUT, RANK0_ONLY, SAVE, CauseRule, Sign

RULE = CauseRule(
    cause="rank-conditional-collective",
    card="collective-under-rank-guard",
    signs=(
        Sign(
            4.0,
            (
                RANK0_ONLY + r"|(?:only|just) (?:on|by|in|at|for) (?:the )?(?:rank ?0|rank zero|main|master|first|one)"
                r"|(?:if )?(?:\w+\.)?(?:local_)?rank(?:\(\))? ?== ?0|is_main_process|is_local_main_process"
                r"|if this is the main|rank 0 only|only rank ?0|rank ?0 alone|rank_zero_only|inside (?:an? )?(?:if"
                r"|rank guard|the main)"
            ),
            SAVE
            + r"|state.?dict|gather|full_tensor|collective|forward|clip|generate|all.?reduce|broadcast|barrier|eval"
            r"|valid\w*|inference|predict",
            HANG + r"|never|wait|nccl|sigabrt|_all_gather",
        ),
        Sign(
            3.0,
            (
                r"(?:some|the other|other) ranks~(?:have gone on|gone on|do not (?:enter|reach|call)"
                r"|never (?:enter|reach|call)|skip|not joined|elsewhere)|ranks that have (?:gradients"
                r"|no gradients)"
            ),
            HANG + r"|wait",
        ),
        Sign(
            2.5,
            r"saving (?:the |fsdp )?(?:model|checkpoint)|model saving|save_(?:state|model|checkpoint)",
            NCCL_TIMEOUT + r"|" + HANG,
        ),
        Sign(
            -3.0,
            (
                r"\bddp\b~(?:only|training)|distributeddataparallel\(|tokeni[sz]|download|still writing"
                r"|no fsdp import"
                r"|sync_module_states|tokens per rank"
            ),
        ),
        Sign(
            5.0,
            (
                r"\bif [^\n]{2,80}:\s+(?:return|continue|break)\b[^\n]*\n(?:[^\n]*\n){0,5}[^\n]*(?:all_reduce"
                r"|all_gather|broadcast|barrier|reduce|gather)\w*\("
            ),
            HANG + r"|" + NCCL_TIMEOUT,
        ),
    ),
    confirm="all ranks print before and after the call",
)
