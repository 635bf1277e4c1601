"""Command lines: what the options of `accelerate launch`, of a Trainer's script and of `tune run` configure.

A script's options are read as a configuration document, and so is a configuration that it writes itself from a
here-document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from engines.review.configuration import UNREAD, ConfigUnreadable, Document, Entry, read_config
from engines.review.scripts import Command, Script

_OF_TRAINER = frozenset(
    ("gradient_checkpointing", "save_only_model", "load_best_model_at_end", "activation_checkpointing", "optim")
)
_MODES = re.compile(r"full_shard|shard_grad_op|hybrid_shard|no_shard|auto_wrap|offload", re.IGNORECASE)
"""What a Trainer's --fsdp is given; other programs have a --fsdp of their own."""
_HERE = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_WRITES = re.compile(r"(?:>|\btee\s)\s*['\"]?(\S+?\.(?:ya?ml|json|toml))['\"]?(?=\s|$)")
_HELD = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def documents_of(script: Script) -> Iterator[Document]:
    """Yield what the commands of a script configure, and the configurations that it writes.

    Args:
        script: The script.
    """
    for command in script.commands:
        program = command.program()
        cut = command.words.index(program) if program else len(command.words)
        if command.launcher() == "accelerate":
            yield from _of_accelerate(script, command, command.words[:cut])
        yield from _of_trainer(script, command, command.words[cut:])
        if command.words[:2] == ("tune", "run"):
            pairs = [word.partition("=") for word in command.words if re.match(r"\w+(\.\w+)*=", word)]
            given = [(key, value) for key, _, value in pairs]
            yield Document("torchtune", script.path, list(_entries(script, command, given)))
    yield from _written(script)


def _of_accelerate(script: Script, command: Command, words: tuple[str, ...]) -> Iterator[Document]:
    """Options before the program, which accelerate takes as texts; what a configuration file gives is not known."""
    given = {
        key: value
        for key, value in _options(words)
        if key.startswith("fsdp_") or key in ("use_fsdp", "mixed_precision")
    }
    keys = [key for key in given if key.startswith("fsdp_")]
    if not keys or ("use_fsdp" not in given and "config_file" not in dict(_options(words))):
        return
    entries = list(_entries(script, command, [(key, given[key]) for key in given if key != "use_fsdp"]))
    found = [_common(entry) for entry in entries]
    found = [one._replace(value=str(one.value).lower()) if isinstance(one.value, bool) else one for one in found]
    if "use_fsdp" in given:
        line = _line(script, command, "use_fsdp")
        found.append(Entry("fsdp", "--use_fsdp", dict.fromkeys(keys), line, 1))
        found.append(Entry("distributed_type", "--use_fsdp", "FSDP", line, 1))
    yield Document("accelerate", script.path, found)


def _common(entry: Entry) -> Entry:
    """Return an option's entry in the spelling of documents."""
    known = entry.path.startswith("fsdp_")
    path = f"fsdp.{entry.path.removeprefix('fsdp_')}" if known else entry.path
    return entry._replace(path=path, written=f"--{entry.written}")


def _of_trainer(script: Script, command: Command, words: tuple[str, ...]) -> Iterator[Document]:
    """Options of a script that hands them to transformers' HfArgumentParser."""
    given = dict(_options(words))
    mode = given.get("fsdp")
    if mode is None or not _MODES.search(mode):
        return
    kept = [("fsdp", mode), *((key, value) for key, value in given.items() if key in _OF_TRAINER)]
    entries = [entry._replace(written=f"--{entry.path}") for entry in _entries(script, command, kept)]
    found = [entry._replace(path="fsdp_mode", value=mode) if entry.path == "fsdp" else entry for entry in entries]
    if "fsdp_config" in given:
        found += _inline(given["fsdp_config"], _line(script, command, "fsdp_config"))
    yield Document("trainer", script.path, found)


def _inline(text: str, line: int) -> Iterator[Entry]:
    """Yield the keys of an fsdp_config that is written in place; a file's are not known."""
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        yield Entry("fsdp.version", "version", UNREAD, line, 1)
        return
    yield Entry("fsdp", "--fsdp_config", dict.fromkeys(data), line, 1)
    for key, value in data.items():
        yield Entry(f"fsdp.{key.removeprefix('fsdp_')}", key, value, line, 1)


def _options(words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield options with their values; a flag without one is "true"."""
    for index, word in enumerate(words):
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            following = words[index + 1] if index + 1 < len(words) else "--"
            if not equals:
                value = "true" if following.startswith("--") else following
            yield name.replace("-", "_"), value


def _entries(script: Script, command: Command, given: list[tuple[str, str]]) -> Iterator[Entry]:
    for key, text in given:
        yield Entry(key, key, _value(script, text), _line(script, command, key), 1)


def _value(script: Script, text: str) -> Any:
    """Return an option's value as a configuration would hold it; UNREAD where a variable is not known."""
    held = _HELD.fullmatch(text.strip("\"'"))
    if held is not None:
        setting = script.setting(held[1] or held[2])
        text = setting.value.strip("\"'") if setting is not None else text
    if "$" in text:
        return UNREAD
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if text.isdigit() else text


def _line(script: Script, command: Command, key: str) -> int:
    """Return the line of an option: at its command or after it, else wherever a variable holds it."""
    spelled = re.compile(rf"(?<![\w-])(?:--)?{key.replace('_', '[-_]')}(?![\w-])")
    found = [number for number, text in enumerate(script.text.splitlines(), start=1) if spelled.search(text)]
    return next((number for number in found if number >= command.line), found[0] if found else command.line)


def _written(script: Script) -> Iterator[Document]:
    """Yield configurations that a script writes to a file from a here-document."""
    lines = script.text.splitlines()
    for number, line in enumerate(lines, start=1):
        here, target = _HERE.search(line), _WRITES.search(line)
        if here is None or target is None or line.lstrip().startswith("#"):
            continue
        end = next((n for n, text in enumerate(lines[number:], start=number) if text.strip() == here[2]), None)
        if end is None:
            continue
        body = lines[number:end] if here[1] else [_filled(script, text) for text in lines[number:end]]
        try:
            document = read_config(target[1], "\n".join(body))
        except ConfigUnreadable:
            continue
        if document is not None:
            entries = [entry._replace(line=entry.line + number) for entry in document.entries.values()]
            yield Document(document.kind, script.path, entries)


def _filled(script: Script, text: str) -> str:
    """Return a line of a here-document with the variables that the script sets; others stay templates."""

    def held(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        setting = script.setting(name)
        known = setting is not None and "$" not in setting.value
        return setting.value.strip("\"'") if setting is not None and known else f"${{{name}}}"

    return _HELD.sub(held, text)
