"""Summon_full_params frees offloaded storage."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="summon-offload-frees-cpu-storage",
    card="summon-offload-frees-cpu-storage",
    signs=(
        Sign(
            5.0,
            r"summon_full_params",
            r"offload|storage|setstorage|cpu",
        ),
        Sign(
            3.0,
            r"setstorage: sizes~out of bounds for storage of size 0",
        ),
    ),
    confirm="the parameters read inside the context have their sizes",
)
