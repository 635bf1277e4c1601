"""Launched: what a LaunchRequest's command line says that it starts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from contracts.launch import LaunchRequest

MAX_SCRIPT_BYTES = 2**20
"""Size up to which a launched script is looked into."""


def ranks_of_command_line(launch: LaunchRequest) -> int | None:
    """Return nodes times processes as torchrun's arguments state them, None where they do not."""
    nodes, processes = number_option(launch, "nnodes"), number_option(launch, "nproc-per-node")
    return None if processes is None else (nodes or launch.resources.nodes) * processes


def number_option(launch: LaunchRequest, option: str) -> int | None:
    """Return the number that an option of torchrun is given, None where there is none."""
    names = {f"--{option}", "--" + option.replace("-", "_")}
    for index, argument in enumerate(launch.argv):
        name, equals, value = argument.partition("=")
        if name in names:
            text = value if equals else "".join(launch.argv[index + 1 : index + 2])
            return int(text) if text.isdigit() else None
    return None


def without_gloo(launch: LaunchRequest) -> bool:
    """Tell whether the launched script certainly names a backend that is nccl alone."""
    for item in launch.inputs:
        path = Path(item.path)
        if item.role == "script" and item.size_bytes <= MAX_SCRIPT_BYTES and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            if "nccl" in text and "gloo" not in text:
                return True
    return False


def launched_files(launch: LaunchRequest) -> Iterator[str]:
    """Yield the scripts that are started and, for the built-in recipe, their configurations; inner launches too."""
    yield from _files(launch.argv, recipe=launch.kind == "train")
    for inner in launch.launches:
        yield from _files(inner.argv, recipe=True)


def _files(argv: tuple[str, ...], *, recipe: bool) -> Iterator[str]:
    yield from [argument for argument in argv if argument.endswith(".py")][:1]
    if recipe:
        for option, value in pairwise(argv):
            if option == "--config":
                yield value
