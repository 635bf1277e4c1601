"""The notation of the `words_*` tables: phrases separated by ` | `, one or more to a line."""

import re

_BETWEEN = re.compile(r"\s+\|\s+|\n")


def phrases(table: str) -> str:
    """Join all phrases of a table.

    Args:
        table: Phrases; each is a regular expression.

    Returns:
        One alternation, without boundaries.
    """
    found = [phrase.strip() for phrase in _BETWEEN.split(table)]
    return "|".join(f"(?:{phrase})" for phrase in found if phrase)
