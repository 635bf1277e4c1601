"""The job needs more GPU memory than there is, without anything else being wrong."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="memory-exceeds-gpu",
    card="oom-checklist",
    signs=(
        Sign(
            0.5,
            OOM,
            r"cuda|gpu|gib|hbm",
        ),
    ),
    quantity="filled",
    cost="speed or GPUs, by what is chosen",
    confirm="fsdp-agent plan with these settings predicts a margin; the peak agrees within its error",
)
