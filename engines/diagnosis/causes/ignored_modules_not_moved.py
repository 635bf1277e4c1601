"""Ignored modules stay on the CPU."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="ignored-modules-not-moved",
    card="ignored-modules-not-moved",
    signs=(
        Sign(
            5.0,
            r"ignored_(?:modules|params|parameters|states)|fsdp_ignored|ignored (?:modules|layers|parameters)",
            r"device|cpu|cuda",
        ),
        Sign(
            2.0,
            r"at least two devices",
            r"ignore",
        ),
    ),
    confirm="all parameters of ignored modules are on cuda",
)
