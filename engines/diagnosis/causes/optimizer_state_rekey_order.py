"""Optimizer ids mapped to wrong names."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="optimizer-state-rekey-order",
    card="optimizer-state-rekey-order",
    signs=(
        Sign(
            5.0,
            r"rekey|re-key|optim_state_keytype|rekey_optim_state_dict",
        ),
        Sign(
            4.0,
            r"optimi[sz]er (?:state|checkpoint|ids?)~(?:order|mapp?(?:ed|ing)|integer|ids?|names)",
            r"shape|mismatch|wrong (?:param|name)|order",
        ),
        Sign(
            -3.0,
            r"missing key",
        ),
    ),
    confirm="each moment has its parameter's shape; losses go on where they were",
)
