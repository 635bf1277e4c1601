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
        Sign(
            3.5,
            OOM,
            r"(?:no|without|disabled|off:?) (?:activation|gradient) (?:re)?checkpoint\w*|full activations",
            r"seq(?:uence)?\w*(?: length)?\W{0,3}\d{4,}|\d{2,3} ?gi?b|\b(?:a|h|b|l|v)\d{2,3}\b",
        ),
    ),
    quantity="filled",
    cost="speed or GPUs, by what is chosen",
    confirm="fsdp-agent plan with these settings predicts a margin; the peak agrees within its error",
)
