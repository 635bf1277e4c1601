"""A log of a run that came to its end: nothing in it failed."""

import re

from engines.diagnosis.cause import HANG, OOM
from engines.diagnosis.reading import Reading

_ENDED = re.compile(
    r"\btraining (?:has |was |is )?(?:finished|completed?|done)\b|\b(?:finished|completed) training\b|\btrain_runtime\b"
)
_TROUBLE = re.compile(
    rf"{HANG}|{OOM}|error|exception|traceback|fail|kill|abort|signal|cancel|\bnan\b|\binf\b|\bbut\b|however|\bwhy\b|\?"
    r"|wrong|worse|slow|differ|warn|crash|never|\bnot\b".replace(" ", r"\s")
)


def ended_well(text: str, reading: Reading) -> str | None:
    """Return what a log says of its end; None where it does not say so, or tells of any trouble.

    Args:
        text: Lower-case text that was read.
        reading: What was read.
    """
    trails = reading.watch.ranks.values()
    if any(trail.error or trail.consequence or trail.exit for trail in trails) or _TROUBLE.search(text):
        return None
    if not any(trail.progress for trail in trails) or _ENDED.search(text) is None:
        return None
    return "nothing that failed is seen: the log tells of steps and of the end of the training, and of no trouble"
