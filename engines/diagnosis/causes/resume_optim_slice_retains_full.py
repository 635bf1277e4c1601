"""Loaded optimizer slice keeps the full storage."""

from engines.diagnosis.cause import OOM, RESUME, CauseRule, Sign

RULE = CauseRule(
    cause="resume-optim-slice-retains-full",
    card="resume-optim-slice-retains-full",
    signs=(
        Sign(
            6.0,
            r"optim_state_dict_to_load",
        ),
        Sign(
            4.0,
            RESUME,
            OOM,
            r"optimi[sz]er state|unsharded optimi|first (?:forward|step)~(?:after|resum)|slice",
        ),
        Sign(
            -3.0,
            r"missing key|full_state_dict, checkpoint",
        ),
    ),
    confirm="memory_allocated() after the load equals a fresh run's after one step",
)
