"""Written: what a Python file says in code, for rules that ask whether a name occurs anywhere in it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter

_PREFIX = re.compile(r"[A-Za-z]*")
_HOLE = re.compile(r"\{([^{}]*)\}")
_IDLE = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}


def code_of(text: str) -> str:
    """Return the text without what no interpreter heeds: comments, docstrings and prose.

    A string of one word stays where it configures something, like `environ["LOCAL_RANK"]` or
    `getattr(model, "no_sync")`. A string with blanks in it, one that is a statement of its own, and one that is
    put into a name which nothing reads, become empty. Lines keep their numbers up to the end of such a string.

    Args:
        text: Python source; text that cannot be cut into tokens is returned as it is.
    """
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return text
    counts = Counter(token.string for token in tokens if token.type == tokenize.NAME)
    pieces: list[tokenize.TokenInfo] = []
    cuts: list[tuple[tokenize.TokenInfo, str]] = []
    for token in tokens:
        if token.type == tokenize.COMMENT:
            cuts.append((token, ""))
        elif token.type not in _IDLE:
            pieces.append(token)
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            cuts += _idle_strings(pieces, counts)
            pieces = []
    return _without(text, sorted(cuts, key=lambda cut: cut[0].start))


def _idle_strings(statement: list[tokenize.TokenInfo], counts: Counter[str]) -> list[tuple[tokenize.TokenInfo, str]]:
    """Return a statement's strings that configure nothing, with what is left of each."""
    strings = [token for token in statement if token.type == tokenize.STRING]
    if not strings:
        return []
    first = statement[0]
    names = [token for token in statement if token.type == tokenize.NAME]
    unread = names == [first] and counts[first.string] == 1 and any(token.string == "=" for token in statement)
    alone = not names and len(strings) == len(statement)
    return [(token, _rest(token.string)) for token in strings if unread or alone or re.search(r"\s", token.string)]


def _rest(string: str) -> str:
    """Return an empty string, or what an f-string computes."""
    found = _PREFIX.match(string)
    computed = _HOLE.findall(string) if found is not None and "f" in found[0].lower() else []
    return " ".join(["''", *computed])


def _without(text: str, cuts: list[tuple[tokenize.TokenInfo, str]]) -> str:
    starts = [0]
    for line in io.StringIO(text):
        starts.append(starts[-1] + len(line))
    kept: list[str] = []
    done = 0
    for token, rest in cuts:
        begin = starts[token.start[0] - 1] + token.start[1]
        kept += [text[done:begin], rest]
        done = starts[token.end[0] - 1] + token.end[1]
    kept.append(text[done:])
    return "".join(kept)


def code_has(pattern: re.Pattern[str], text: str) -> bool:
    """Tell whether a pattern is found in a Python file's code; a text without it is not cut into tokens."""
    return bool(pattern.search(text) and pattern.search(code_of(text)))


def names_in(tree: ast.AST) -> set[str]:
    """Return the identifiers of a tree: names, attributes, parameters, keywords, and what is defined."""
    found = {getattr(node, field, None) for node in ast.walk(tree) for field in ("id", "attr", "arg", "name")}
    return {name for name in found if isinstance(name, str)}
