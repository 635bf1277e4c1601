"""Optimizer state saved under parameter names (FQN), load request built with integer ids (or the reverse)."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="optimizer-state-key-format-mismatch",
    card="optimizer-state-key-format-mismatch",
    signs=(
        Sign(
            6.0,
            r"missing key in checkpoint state_dict: (?:\w+\.)*(?:optim\w*\.)?state\.\d+\.",
        ),
        Sign(
            4.0,
            r"optimi[sz]er",
            r"integer (?:ids?|keys?|ind)|\bfqn|parameter names",
            r"keys?|ids?",
            r"missing|mismatch|load|resum",
        ),
        Sign(
            -3.0,
            r"re-?key",
        ),
    ),
    confirm="the keys that are asked for equal those of the checkpoint",
)
