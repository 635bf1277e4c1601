"""Does a question take a study: does it weigh configurations of a job that it names?"""

import re

from engines.study.decompose import decompose, uniform
from engines.study.outline import Known

_ASKS = re.compile(
    r"\?|\bcompare\b|\bsammenlign\b|\bshould (?:we|i)\b|\b(?:skal|bør) (?:vi|jeg)\b|\bwhich\b|\bhvilken\b|\bhvilket\b"
)
_WEIGHS = re.compile(
    r"\bor\b|\bvs\b\.?|\bversus\b|\beller\b|\bkontra\b|\bworth\b|\bbetale sig\b|\bcompare\w*|\bsammenlign\w*"
    r"|\bchanges?\b|\bændrer\b|\brather than\b|\bfrem ?for\b|\bi stedet for\b|\binstead of\b"
)
_SIZE = re.compile(r"(?<![\w.])\d{1,3}(?:[.,]\d)? ?(?:b|mia\.?|billion)\b(?! tokens)")
_ORDER = re.compile(r"\b(?:plan|recommend|suggest|anbefal|foreslå|lav en plan|give me a config\w*)\b")


def takes_study(question: str, known: Known | None = None) -> bool:
    """Tell whether a question weighs two or more configurations of a job that can be estimated.

    It has to ask, to weigh, and to name a model by its name or size and a machine: what is
    asked in general ("DDP or FSDP?") is looked up.

    Args:
        question: English or Danish.
        known: What is known of the job besides; then the question need not name it.
    """
    text = uniform(question)
    if not (_ASKS.search(text) and _WEIGHS.search(text)) or _ORDER.search(text):
        return False
    outline = decompose(question, known)
    named = set(outline.topics)
    subject = bool(named & {"model"} or _SIZE.search(text))
    machine = bool((known and known.ranks) or named & {"gpus", "gpu", "network"})
    return subject and machine and outline.configurations > 1
