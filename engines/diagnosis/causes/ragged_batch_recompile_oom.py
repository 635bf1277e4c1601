"""Odd-sized batch triggers recompilation and OOM."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="ragged-batch-recompile-oom",
    card="compile-ragged-batches",
    signs=(
        Sign(
            5.0,
            r"recompil\w+",
            OOM,
        ),
        Sign(
            4.0,
            r"compile",
            (
                r"last batch|odd.?sized|smaller batch|incomplete batch|drop_last|end of the (?:first )?epoch"
                r"|ragged|different (?:batch )?size|first step of epoch"
            ),
            OOM + r"|memory",
        ),
        Sign(
            2.0,
            r"size mismatch: expected \d+, actual \d+",
        ),
    ),
    cost="the last samples of an epoch are left out or padded",
    confirm="TORCH_LOGS=recompiles stays silent",
)
