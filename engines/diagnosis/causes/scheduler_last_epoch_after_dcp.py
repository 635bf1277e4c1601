"""Initial_lr missing when the scheduler is rebuilt."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="scheduler-last-epoch-after-dcp",
    card="scheduler-last-epoch-after-dcp",
    signs=(
        Sign(
            6.0,
            r"initial_lr",
        ),
        Sign(
            3.0,
            r"last_epoch",
            r"schedul",
            r"resum|load|keyerror",
        ),
    ),
    confirm="the scheduler's lr after the load is the last one",
)
