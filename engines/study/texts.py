"""Sentences of a study with their values filled in."""

from contracts.request import Language
from engines.study.texts_made import MADE
from engines.study.texts_told import TOLD


def text(key: str, language: Language, /, **values: object) -> str:
    """Return a sentence with its values filled in.

    Args:
        key: Name of the sentence.
        language: In which language.
        **values: What it speaks of; they are inserted, never read as a template.
    """
    english, danish = {**TOLD, **MADE}[key]
    return (danish if language == "da" else english).format(**values)
