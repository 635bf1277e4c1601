"""A collective runs before init_process_group or after destroy_process_group."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="process-group-not-initialized",
    card="process-group-not-initialized",
    signs=(
        Sign(
            4.0,
            r"default process group has not been initialized",
        ),
        Sign(
            3.0,
            (
                r"destroy_process_group|(?:after|before)~(?:destroy|init)\w*|at import|import time"
                r"|dataloader worker"
            ),
            r"process group~(?:not|gone|destroyed)|not been initialized",
        ),
        Sign(
            1.0,
            r"failed \(exitcode|childfailederror|torchrun",
            r"default process group has not been initialized",
        ),
        Sign(
            -4.0,
            (
                r"(?:plain |just |simply |by |with )python3?\b|\bpython3? \w+\.py|without torchrun"
                r"|notebook|jupyter|no launcher|expected, but not set"
            ),
        ),
    ),
    confirm="dist.is_initialized() is true at that line",
)
