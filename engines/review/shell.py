"""Shell: a line of a script as commands and words, and the commands within `bash -c '...'`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

ASSIGNS = re.compile(r"^([A-Za-z_]\w*)=(.*)$")
"""A word that sets a variable."""
_DEFAULT = re.compile(r":\s+\"?\$\{(\w+):?=([^}]*)\}")
_HANDS_ON = ("-e", "--env", "-x")
"""Options of docker, apptainer and mpirun after which a variable is set."""
_CONTAINERS = ("docker", "podman", "nerdctl", "apptainer", "singularity", "mpirun", "mpiexec", "kubectl")
_SEPARATORS = re.compile(r"(?:&&|\|\||;|\|)\s*")
_OPENS = re.compile(r"\s-\w*c\s+(['\"])[^'\"]*$")
_REMOTE = ("ssh", "pdsh", "clush", "eval", "tmux", "screen")
"""Commands that take a command as one word."""
_SHELLS = re.compile(r"(^|/)(ba|z|da|k)?sh$")


def parts(line: str) -> list[str]:
    """Return the commands of a line; separators within quotes, or within `$(...)`, part nothing."""
    depth, quote, found, start, index = 0, "", [], 0, 0
    while index < len(line):
        char = line[index]
        if char == "\\":
            index += 2
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "(":
            depth += 1 if depth or line[index - 1 : index] in ("$", "<", ">") else 0
        elif char == ")":
            depth = max(depth - 1, 0)
        elif depth == 0 and (separator := _SEPARATORS.match(line, index)) is not None:
            found.append(line[start:index])
            start = index = separator.end()
            continue
        index += 1
    return [*found, line[start:]]


def words(text: str) -> list[str]:
    """Return the words of a command; by white space where its quotes do not close."""
    try:
        return shlex.split(text, comments=True, posix=True)
    except ValueError:
        return text.split()


def assigned(text: str, given: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the variables that a command sets: for itself, for what it starts, or by `: ${NAME:=value}`.

    Args:
        text: The command.
        given: Its words.
    """
    default = _DEFAULT.match(text)
    if default is not None:
        yield default[1], default[2]
    leading = True
    in_container = any(word.rpartition("/")[2] in _CONTAINERS for word in given)
    for index, word in enumerate(given):
        leading = leading and (ASSIGNS.match(word) is not None or word in ("env", "srun") or word.startswith("-"))
        _, exports, listed = word.partition("--export=")
        before = given[index - 1] if index else ""
        if exports:
            items = listed.split(",")
        elif leading or (in_container and before in _HANDS_ON):
            items = [word]
        else:
            items = [word.partition("--env=")[2]] if in_container else []
        for item in items:
            match = ASSIGNS.match(item)
            if match is not None:
                yield match[1], match[2]


def joined(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a script with their numbers; what `bash -c` is given over several lines comes as one.

    Args:
        lines: The lines, without their ends.
    """
    index = 0
    while index < len(lines):
        number, line = index + 1, lines[index]
        index += 1
        found = None if line.lstrip().startswith("#") else _OPENS.search(line)
        if found is not None:
            end = next((n for n, text in enumerate(lines[index:], start=index) if found[1] in text), None)
            if end is not None:
                line = "\n".join(lines[number - 1 : end + 1])
                index = end + 1
        yield number, line


def nested(given: list[str]) -> tuple[str, list[str]]:
    """Return what starts an inner shell, and the lines that it is given; none where no shell is started so.

    Args:
        given: The words of a command, such as `srun`, `bash`, `-c` and the text.
    """
    if given and given[0] in _REMOTE:
        command = next((word for word in reversed(given) if " " in word), "")
        return "", command.split("\n") if command else []
    for index, word in enumerate(given[:-2]):
        if _SHELLS.search(word) and re.fullmatch(r"-\w*c", given[index + 1]):
            before = " ".join([*(shlex.quote(outer) for outer in given[:index]), ""])
            text = given[index + 2].replace("\\\n", " ")
            return before, [line.strip() for line in text.split("\n")]
    return "", []
