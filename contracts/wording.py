"""Sentences in English and Danish, kept as tables: one way to fill them in for all who speak.

A table has a pair for each sentence: English, Danish. Besides Python's own format
specifications a template knows `size` (GiB in the unit in which it shows) and `count` (a
number of parameters as people say it).
"""

from collections.abc import Mapping
from string import Formatter

from contracts.request import Language
from contracts.units import count_text, size_text

Sentences = Mapping[str, tuple[str, str]]
"""Sentences by their names: English, Danish."""

_DANISH_SIGNS = str.maketrans({",": ".", ".": ",", "%": " %"})
_DANISH_COUNTS = {"thousand": "tusind", "million": "mio.", "billion": "mia."}


def told(table: Sentences, key: str, language: Language, /, **values: object) -> str:
    """Return a sentence with its values filled in, numbers as the language writes them.

    Args:
        table: The sentences.
        key: Name of the sentence.
        language: In which language.
        **values: What it speaks of; they are inserted, never read as a template.
    """
    english, danish = table[key]
    return (_DANISH if language == "da" else _ENGLISH).format(danish if language == "da" else english, **values)


class _English(Formatter):
    """Fills in a template, with sizes and counts beside Python's own forms."""

    def format_field(self, value: object, format_spec: str) -> str:
        """Return a value as the template asks for it."""
        if format_spec == "size":
            assert isinstance(value, int | float), "a size is a number of GiB"
            return size_text(value)
        if format_spec == "count":
            assert isinstance(value, int), "a count is whole"
            return count_text(value)
        return format(value, format_spec)


class _Danish(_English):
    """The same with a decimal comma, and points between thousands."""

    def format_field(self, value: object, format_spec: str) -> str:
        """Return a value as the template asks for it; texts and truth values stay as they are."""
        shown = super().format_field(value, format_spec)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return shown
        number, space, unit = shown.partition(" ")
        return number.translate(_DANISH_SIGNS) + space + _DANISH_COUNTS.get(unit, unit)


_ENGLISH, _DANISH = _English(), _Danish()
