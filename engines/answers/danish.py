"""Frames answers to Danish questions: the cards are in English, and the answer says so in Danish."""

import re

from contracts.wording import Sentences, told
from knowledge import lexicon

_SENTENCES: Sentences = {
    "read_in_part": (
        "only the first {read:,} characters of the question were read; it has {count:,}",
        "kun de første {read:,} tegn af spørgsmålet er læst; det har {count:,}",
    ),
}
_WORD = re.compile(r"[a-zæøå]+", re.IGNORECASE)
_DANISH_WORDS_MIN = 2
_ALSO_ENGLISH = frozenset(("at", "de", "den", "din", "man", "men", "under", "her", "over", "for", "have", "i", "om"))


def in_danish(question: str) -> bool:
    """Tell whether a question is in Danish: two small words of Danish that are none of English.

    Args:
        question: The question; code in it does not matter.
    """
    small = lexicon.danish_stop_words() - _ALSO_ENGLISH
    return len(small.intersection(_WORD.findall(question.lower()))) >= _DANISH_WORDS_MIN


def version_lead(question: str, version: str) -> str:
    """Return the words that come before an answer and tell of which torch it speaks.

    Args:
        question: The question, whose language the words have.
        version: Version of torch, such as `2.13`.
    """
    return f"Svar for torch {version} (kortene er på engelsk):" if in_danish(question) else f"torch {version}:"


def versions_lead(question: str) -> str:
    """Return the words before an answer that quotes cards of several versions; empty in English."""
    return "Svaret afhænger af torch-versionen (kortene er på engelsk):\n\n" if in_danish(question) else ""


def read_in_part(question: str, read: int) -> str:
    """Return the sentence that says how much of a long question was read.

    Args:
        question: The whole question, whose language the sentence has.
        read: Characters that were read.
    """
    return told(_SENTENCES, "read_in_part", "da" if in_danish(question) else "en", read=read, count=len(question))


def refusal(question: str) -> str:
    """Return the sentence that says that the cards do not cover a question."""
    text = "not covered: the knowledge base is about training PyTorch models on several GPUs with FSDP."
    if in_danish(question):
        text += " (Ikke dækket: vidensbasen handler om træning af PyTorch-modeller på flere GPU'er med FSDP.)"
    return text
