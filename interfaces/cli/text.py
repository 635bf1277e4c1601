"""Foreign text made harmless: what runs, files and logs say never steers the terminal."""

import unicodedata

_KEPT = "\n\t"


def visible(text: str) -> str:
    """Return text whose control and direction characters are written out.

    Covers ANSI sequences (they start with ESC or a C1 control), carriage returns that
    overwrite a line, and bidirectional overrides that reorder it. Rich markup is no
    danger where text is printed as `rich.text.Text` or with `markup=False`, as here
    everywhere.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def one_line(text: str) -> str:
    """Return text as `visible` does, on one line."""
    return visible(text).replace("\n", " ").replace("\t", " ")


def exact(text: str) -> str:
    """Return text as `visible` does, line breaks and tabs written out: no part of it looks like a line of ours."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def counted(count: int, noun: str) -> str:
    """Return a number with its noun in the right form: `1 file`, `2 files`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _shown(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in ("Cc", "Cf", "Cs"):
        return character
    point = ord(character)
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
