"""What of an answer is not in Danish: told by the small words of English that Danish does not have."""

import re
from collections.abc import Collection, Iterator
from typing import Any

ENGLISH_ONLY = frozenset(
    """
    the of and is are was were be been not no with without within which would what where when while than each from
    because its their it that this these those by on only other others more less most fewer one two any every between
    before after into out there has does do did can cannot will may must until instead takes holds gives needs need
    asked stated measured predicted fits known slower faster
    """.split()  # noqa: SIM905 - a list of so many words is no easier to read
)
"""Function words of English, and words that our sentences use often, none of which is a Danish word."""

_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"|--?[\w-]+|\S*[=/_]\S*|\b[\w.]+\(\)|<[^>]*>")
"""Settings, paths, options and quoted words stay as they are in every language."""


def english_words(text: str) -> set[str]:
    """Return the words of a text that are English and not Danish."""
    plain = _CODE.sub(" ", text)
    return set(re.findall(r"[a-zæøå]+", plain.lower())) & ENGLISH_ONLY


def texts_of(value: Any, skip: Collection[str] = (), place: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text of several words in JSON data, with its place; keys in `skip` are left out."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in skip:
                yield from texts_of(inner, skip, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from texts_of(inner, skip, f"{place}[{index}]")
    elif isinstance(value, str) and " " in value:
        yield place, value


def english_texts(value: Any, skip: Collection[str] = ()) -> dict[str, str]:
    """Return the texts that have an English word, by their place and with the words first."""
    found = {place: (english_words(text), text) for place, text in texts_of(value, skip)}
    return {place: f"{sorted(words)}: {text}" for place, (words, text) in found.items() if words}
