"""Parsing: Python source of this interpreter's grammar, and of newer ones as far as that is safe."""

from __future__ import annotations

import ast
import re
import sys
import warnings

_TYPE_PARAMETERS = re.compile(r"^([ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w+)(\[[^\]\n]*\])", re.MULTILINE)
_TYPE_ALIAS = re.compile(r"^([ \t]*)type([ \t]+\w+)(\[[^\]\n]*\])?([ \t]*=)", re.MULTILINE)
_OF_PYTHON_2 = re.compile(r"Missing parentheses in call|leading zeros in decimal|multiple exception types must be|<>")


class Unparsable(ValueError):
    """A file that is no Python of this interpreter's grammar; the message says why."""


def parse(text: str, path: str) -> ast.Module:
    """Parse Python source.

    Type parameters and `type` statements of Python 3.12 are blanked where this interpreter does not know them:
    they say nothing of what runs, and every other column stays.

    Args:
        text: The source.
        path: Its name, for messages.

    Raises:
        Unparsable: Syntax error, null bytes, or nesting that the parser refuses.
    """
    try:
        return _parse(text, path)
    except SyntaxError as err:
        older = _TYPE_ALIAS.sub(_blank_alias, _TYPE_PARAMETERS.sub(_blank, text))
        if older != text:
            try:
                return _parse(older, path)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                pass
        raise Unparsable(_reason(err)) from None
    except (ValueError, RecursionError, MemoryError) as err:
        raise Unparsable(f"no Python that can be parsed: {str(err) or 'nested too deeply'}") from None


def _parse(text: str, path: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, filename=path)


def _blank(match: re.Match[str]) -> str:
    return match[1] + " " * len(match[2])


def _blank_alias(match: re.Match[str]) -> str:
    """`type X[T] = ...` becomes `X = ...` with its right side where it was."""
    name = match[2].strip()
    return match[1] + name + " " * (len(match[0]) - len(match[1]) - len(name) - len(match[4])) + match[4]


def _reason(err: SyntaxError) -> str:
    """Return why a file cannot be read, and for which Python it seems to be written."""
    message = err.msg or "invalid syntax"
    if _OF_PYTHON_2.search(message):
        return f"could not be read: Python 2 syntax at line {err.lineno}: {message}"
    if message.startswith("f-string") and sys.version_info < (3, 12):
        return (
            f"could not be read: line {err.lineno}: {message}; an f-string of Python 3.12 or newer needs that Python"
            " to be read"
        )
    return f"no Python 3 that can be parsed: line {err.lineno}: {message}"
