"""Manifests: Kubernetes documents of Kubeflow Trainer among the files of a review, with the lines of their fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from engines.review.configuration import MAX_DEPTH, ConfigUnreadable
from knowledge.trainjob import is_trainjob

MAX_NODES = 50_000
"""Nodes that are read of one file, each alias counted where it is used: no YAML bomb unfolds."""

_MARK = "trainer.kubeflow.org"
_KIND = "TrainJob"


class Manifest:
    """One document that means to be a TrainJob."""

    def __init__(self, file: str, data: Any, lines: dict[tuple[str | int, ...], tuple[int, int]]) -> None:
        self.file = file
        self.data = data
        self._lines = lines

    def place(self, path: tuple[str | int, ...]) -> tuple[int, int]:
        """Return line and column of a field, or of the nearest one above it that is written."""
        for end in range(len(path), -1, -1):
            if path[:end] in self._lines:
                return self._lines[path[:end]]
        return 1, 1


def read_manifests(file: str, text: str) -> list[Manifest]:
    """Return the TrainJobs of a file; a file may hold several documents.

    Raises:
        ConfigUnreadable: The text is no YAML, or more than is read.
    """
    if _MARK not in text and _KIND not in text:
        return []
    found = []
    loader = (yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)(text)
    try:
        while loader.check_node():
            reading, node = _Reading(loader), loader.get_node()
            data = reading.value(node, (), 0) if node is not None else None
            if is_trainjob(data):
                found.append(Manifest(file, data, reading.lines))
    except (yaml.YAMLError, ValueError, RecursionError) as err:
        raise ConfigUnreadable(f"no YAML that can be read: {' '.join(str(err).split())[:200]}") from None
    finally:
        loader.dispose()
    return found


class _Reading:
    """Reads one document by its nodes, and remembers where each field stands."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._nodes = 0
        self.lines: dict[tuple[str | int, ...], tuple[int, int]] = {}

    def value(self, node: yaml.Node, path: tuple[str | int, ...], depth: int) -> Any:
        """Return what a node holds as plain data."""
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH * 2:
            raise ConfigUnreadable(f"more than {MAX_NODES} values, or nested more than {MAX_DEPTH * 2} deep")
        self.lines.setdefault(path, (node.start_mark.line + 1, node.start_mark.column + 1))
        if isinstance(node, yaml.MappingNode):
            return dict(self._entries(node, path, depth))
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*path, place), depth + 1) for place, child in enumerate(node.value)]
        try:
            return self._loader.construct_object(node)
        except (yaml.constructor.ConstructorError, ValueError):
            return node.value

    def _entries(self, node: yaml.MappingNode, path: tuple[str | int, ...], depth: int) -> Iterator[tuple[str, Any]]:
        for key, child in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
            self.lines[(*path, name)] = (key.start_mark.line + 1, key.start_mark.column + 1)
            yield name, self.value(child, (*path, name), depth + 1)
