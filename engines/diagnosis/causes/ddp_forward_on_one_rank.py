"""DDP module called on rank 0 only."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="ddp-forward-on-one-rank",
    card="ddp-forward-on-one-rank",
    signs=(
        Sign(
            6.0,
            r"\bddp\b|distributeddataparallel",
            (
                r"only (?:on|by|in|at) (?:rank ?0|rank zero|the main|one)|rank 0 only|rank ?== ?0|main process"
                r"|one rank|rank ?0 (?:alone )?(?:evaluat|validat|tests?|infer|runs)"
            ),
            r"valid|\bval_|eval|forward|infer|test",
            HANG + r"|barrier|nccl_timeout",
        ),
        Sign(
            1.0,
            r"batch ?norm|broadcast_buffers",
        ),
        Sign(
            -5.0,
            r"\bfsdp\b(?! import)|fully_shard|allgather_base",
            r"fsdp|fully_shard|rank",
        ),
    ),
    outside="never_fsdp",
    confirm="validation with model.module on one rank, or on all, passes",
)
