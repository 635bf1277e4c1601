"""Sentences of a study with their values filled in."""

from contracts.request import Language
from contracts.wording import Sentences, told
from engines.study.texts_made import MADE
from engines.study.texts_told import TOLD

_SENTENCES: Sentences = {**TOLD, **MADE}


def text(key: str, language: Language, /, **values: object) -> str:
    """Return a sentence with its values filled in.

    Args:
        key: Name of the sentence.
        language: In which language.
        **values: What it speaks of; they are inserted, never read as a template.
    """
    return told(_SENTENCES, key, language, **values)
