"""Sentences of plans and trials with their values filled in."""

from contracts.request import Language
from contracts.wording import Sentences, told
from engines.sizing.texts_plan import PLAN
from engines.sizing.texts_reasons import REASONS
from engines.sizing.texts_scale import SCALE
from engines.sizing.texts_trials import TRIALS

SENTENCES: Sentences = {**REASONS, **PLAN, **SCALE, **TRIALS}
"""All of them by name."""


def say(key: str, language: Language, /, **values: object) -> str:
    """Return a sentence with its values filled in.

    Args:
        key: Name of the sentence.
        language: In which language.
        **values: What it speaks of; sizes are in GiB.
    """
    return told(SENTENCES, key, language, **values)
