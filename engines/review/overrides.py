"""Overrides: settings of a configuration that a launch script gives on a command line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engines.review.configuration import Document, Entry
from engines.review.scripts import Command, Script

_TITAN = re.compile(r"--(parallelism\.\w+)(?:=(.*))?$")
_OTHERS = (
    "data_parallel_replicate_degree",
    "context_parallel_degree",
    "tensor_parallel_degree",
    "pipeline_parallel_degree",
)
_SHARD = "parallelism.data_parallel_shard_degree"


def documents_of(script: Script) -> Iterator[Document]:
    """Yield torchtitan's degrees as each torchrun command of a script gives them, where it gives all of them.

    What a command leaves out comes from a configuration that is not known; a shard degree of -1 fits any number.

    Args:
        script: The script.
    """
    for command in script.commands:
        processes = script.number(command.option("--nproc-per-node"))
        if command.launcher() != "torchrun" or processes is None:
            continue
        found = {entry.path: entry for entry in _entries(script, command)}
        if _SHARD in found and all(f"parallelism.{name}" in found for name in _OTHERS):
            ordered = sorted(found.values(), key=lambda entry: entry.line)
            document = Document("torchtitan", script.path, ordered)
            document.world_size = processes * (script.number(command.option("--nnodes")) or script.nodes() or 1)
            yield document


def _entries(script: Script, command: Command) -> Iterator[Entry]:
    lines = script.text.splitlines()
    for index, word in enumerate(command.words):
        match = _TITAN.match(word)
        if match is None:
            continue
        given = match[2] if match[2] is not None else "".join(command.words[index + 1 : index + 2])
        negative = given.strip("\"'") == "-1"
        value = -1 if negative else script.number(given)
        if value is not None:
            line = next((n for n, text in enumerate(lines, start=1) if f"--{match[1]}" in text), command.line)
            yield Entry(match[1], match[1], value, line, 1)
