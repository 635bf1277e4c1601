"""Automatic batch-size search calls prepare() again on the already wrapped model after an OOM."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="rewrap-after-oom-retry",
    card="rewrap-after-oom-retry",
    signs=(
        Sign(
            6.0,
            r"auto_find_batch_size|find_executable_batch_size",
        ),
        Sign(
            4.0,
            r"modules? (?:to |that )?(?:not )?already have fsdp applied|already (?:wrapped|have fsdp)",
            OOM + r"|batch.?size",
        ),
    ),
    confirm="a fixed batch size passes",
)
