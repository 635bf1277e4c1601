"""Frames answers to Danish questions: the cards are in English, and the answer says so in Danish."""

import re

from contracts.request import Language
from contracts.wording import Sentences, told
from knowledge import lexicon

_SENTENCES: Sentences = {
    "read_in_part": (
        "only the first {read:,} characters of the question were read; it has {count:,}",
        "kun de første {read:,} tegn af spørgsmålet er læst; det har {count:,}",
    ),
    "not_covered": (
        "not covered: the knowledge base is about training PyTorch models on several GPUs with FSDP.",
        "Ikke dækket (`not covered`): vidensbasen handler om træning af PyTorch-modeller på flere GPU'er med FSDP.",
    ),
    "other_version": (
        "not covered for torch {version}: the nearest card, {card}, speaks of torch {holds}.",
        "Ikke dækket (`not covered`) for torch {version}: det nærmeste kort, {card}, handler om torch {holds}.",
    ),
    "version": ("torch {version}:", "Svar for torch {version} (kortene er på engelsk):"),
}
_WORD = re.compile(r"[a-zæøå]+", re.IGNORECASE)
_DANISH_WORDS_MIN = 2
_ASKS_IN_DANISH = re.compile(r"\bhv(?:ad|em|er|ilk|is|or)", re.IGNORECASE)
"""How Danish asks: no English word begins so."""
_DANISH_LETTER = re.compile(r"[æøå]", re.IGNORECASE)
_ALSO_ENGLISH = frozenset(("at", "de", "den", "din", "man", "men", "under", "her", "over", "for", "have", "i", "om"))
_ALSO_ENGLISH_TERMS = frozenset(
    (
        "var",
        "os",
        "end",
        "et",
        "mere",
        "mod",
        "han",
        "min",
        "dig",
        "bare",
        "alle",
        "vi",
        "mine",
        "sin",
        "ham",
        "da",
        "du",
        "en",
    )
)
"""Danish words that a technical question in English may hold as names: they alone tell nothing."""


def in_danish(question: str) -> bool:
    """Tell whether a question is in Danish.

    A question word of Danish tells it, or two of its small words that are none of English. Short
    questions full of terms have one small word or a letter of Danish, and no small word of English.

    Args:
        question: The question; code in it does not matter.
    """
    words = set(_WORD.findall(question.lower()))
    small = (lexicon.danish_stop_words() - _ALSO_ENGLISH) & words
    if _ASKS_IN_DANISH.search(question) or (len(small) >= _DANISH_WORDS_MIN and small - _ALSO_ENGLISH_TERMS):
        return True
    english = lexicon.stop_words() - lexicon.danish_stop_words()
    return bool(small - _ALSO_ENGLISH_TERMS or _DANISH_LETTER.search(question)) and not words & english


def version_lead(question: str, version: str) -> str:
    """Return the words that come before an answer and tell of which torch it speaks.

    Args:
        question: The question, whose language the words have.
        version: Version of torch, such as `2.13`.
    """
    return told(_SENTENCES, "version", _language(question), version=version)


def versions_lead(question: str) -> str:
    """Return the words before an answer that quotes cards of several versions; empty in English."""
    return "Svaret afhænger af torch-versionen (kortene er på engelsk):\n\n" if in_danish(question) else ""


def read_in_part(question: str, read: int) -> str:
    """Return the sentence that says how much of a long question was read.

    Args:
        question: The whole question, whose language the sentence has.
        read: Characters that were read.
    """
    return told(_SENTENCES, "read_in_part", _language(question), read=read, count=len(question))


def refusal(question: str) -> str:
    """Return the sentence that says that the cards do not cover a question."""
    return told(_SENTENCES, "not_covered", _language(question))


def other_version(question: str, version: str, card: str, holds: str) -> str:
    """Return the sentence that says that the nearest card is of another torch.

    Args:
        question: The question, whose language the sentence has.
        version: Version of torch that was meant.
        card: Name of the nearest card.
        holds: Versions of torch that it speaks of.
    """
    return told(_SENTENCES, "other_version", _language(question), version=version, card=card, holds=holds)


def _language(question: str) -> Language:
    return "da" if in_danish(question) else "en"
