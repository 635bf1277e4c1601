"""Text to terms: symbols stay whole and also fall into their parts, words lose their endings."""

import re
from functools import cache

from knowledge import lexicon

_WORD = re.compile(r"[0-9]+(?:\.[0-9]+)+|[A-Za-zÀ-ÿ0-9]+(?:[_\-]+[A-Za-zÀ-ÿ0-9]+)*")
_SEPARATOR = re.compile(r"[_\-]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_DANISH_ENDINGS = ("ernes", "erne", "erens", "eren", "ens", "ets", "ene", "en", "et", "er", "ne", "r", "s")
_PARTS_MAX = 12
_CAMEL_PART_MIN = 3
"""Letters of a part of a CamelCase word: `Py` and the `Ze` of ZeRO are no words."""


@cache
def _concepts() -> dict[str, tuple[str, ...]]:
    """Return the concepts that each stemmed word stands for, marked so that no word equals one."""
    found: dict[str, tuple[str, ...]] = {}
    for concept, words in lexicon.synonyms().items():
        for word in words:
            found[stem(word)] = (*found.get(stem(word), ()), "~" + concept)
    return found


@cache
def _phrases() -> re.Pattern[str]:
    longest_first = sorted(lexicon.phrases(), key=len, reverse=True)
    return re.compile(r"\b(" + "|".join(longest_first) + r")\b")


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, with repetitions.

    A compound such as `reshard_after_forward`, `CPUOffloadPolicy` or `all-gather` yields
    itself without separators and then its parts; a word with synonyms yields its concept too.

    Args:
        text: Any text in English or Danish, with code in it.
    """
    found: list[str] = []
    for match in _WORD.finditer(text):
        found += _terms_of(match[0])
    plain = " ".join(text.lower().split())
    for match in _phrases().finditer(plain):
        found += _with_concepts(lexicon.phrases()[match[1]])
    return found


def is_concept(term: str) -> bool:
    """Tell whether a term is a concept that a word stands for, and no word itself."""
    return term.startswith("~")


def symbols(text: str) -> set[str]:
    """Return the identifiers of a text, such as `fully_shard` and `DTensor`, without separators."""
    found = (match[0] for match in _WORD.finditer(text))
    return {_SEPARATOR.sub("", word).lower() for word in found if "_" in word or _CAMEL.search(word)}


@cache
def _terms_of(word: str) -> tuple[str, ...]:
    pieces = _SEPARATOR.split(word)
    parts = [part for piece in pieces for part in (piece, *_camel_parts(piece))][:_PARTS_MAX]
    if len(pieces) == 1:
        return tuple(dict.fromkeys(term for part in parts for term in _plain(part.lower())))
    whole = "".join(pieces).lower()
    found = list(_with_concepts(whole))
    if len(pieces) > 2:  # full_state_dict speaks of a state dict
        spoken = " ".join(pieces).lower()
        found += [term for match in _phrases().finditer(spoken) for term in _with_concepts(lexicon.phrases()[match[1]])]
    found += [term for part in parts for term in _plain(part.lower())]
    return tuple(dict.fromkeys(found))


def _camel_parts(piece: str) -> list[str]:
    parts = _CAMEL.split(piece)
    return [part for part in parts if len(part) >= _CAMEL_PART_MIN] if len(parts) > 1 else []


def _plain(word: str) -> tuple[str, ...]:
    if word in lexicon.stop_words() or (len(word) == 1 and word.isalpha()):
        return ()
    english = _english(word)
    if english is not None:
        return _with_concepts(english)
    return _with_concepts(word)


def _english(word: str) -> str | None:
    danish = lexicon.danish()
    for ending in ("", *_DANISH_ENDINGS):
        if word.endswith(ending) and word.removesuffix(ending) in danish:
            return danish[word.removesuffix(ending)]
    return None


def _with_concepts(word: str) -> tuple[str, ...]:
    stemmed = stem(word)
    return (stemmed, *_concepts().get(stemmed, ()))


@cache
def stem(word: str) -> str:
    """Return a word without its English ending; the same for `shards`, `sharded`, `sharding`.

    Light on purpose: it need not give words, only the same form for the same word.
    """
    if len(word) < 4 or not word.isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    word = re.sub(r"is(e|ed|ing|er|ation)$", r"iz\1", word) if len(word) > 6 else word
    for ending, left in (("ization", "iz"), ("ation", "at"), ("ing", ""), ("ed", ""), ("er", "")):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 3 and (ending != "er" or len(base) >= 5):
            word = base + left
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "slz":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 4 and word[-1] == "e" else word
