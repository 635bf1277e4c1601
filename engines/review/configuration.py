"""Configuration: YAML, TOML, JSON and keyword arguments as one kind of document.

A document's keys are dotted paths in one spelling, whatever file they stand in: what
accelerate calls `fsdp_config.fsdp_version`, the Trainer `fsdp_config["version"]` and
axolotl `fsdp_version` is `fsdp.version` here. Each entry keeps its line.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import yaml

DocumentKind = Literal["accelerate", "plugin", "trainer", "axolotl", "torchtune", "torchtitan", "fsdp_json"]

MAX_ENTRIES = 20_000
"""Entries read of one document, each alias counted where it is used: no YAML bomb unfolds."""
MAX_MERGED = 8
"""Anchors that one `<<` is read to bring in."""
MAX_DEPTH = 24
"""Nesting of one document."""
_TEMPLATE = re.compile(r"\$\{|\{\{|<[A-Z_]+>")
"""Values that a template engine will fill in."""
_RELEVANT = re.compile(r"fsdp|_component_|distributed_type|data_parallel_shard", re.IGNORECASE)


class Entry(NamedTuple):
    """A key with its value."""

    path: str
    """Dotted path in this module's spelling."""
    written: str
    """The key as it is written."""
    value: Any
    """A scalar, a list of scalars, a dict (for a section), or UNREAD."""
    line: int
    column: int


class Unread:
    """Stands for a value that is not written down."""


UNREAD = Unread()


class ConfigUnreadable(ValueError):
    """A file that is no document of its format."""


class Document:
    """A configuration of a known kind."""

    def __init__(self, kind: DocumentKind, file: str, entries: list[Entry]) -> None:
        self.kind = kind
        self.file = file
        self.entries = {entry.path: entry for entry in entries}
        self.world_size: int | None = None
        """Ranks that the launch scripts of the review start; None where it is not one number."""
        self.programs: tuple[str, ...] = ()
        """Texts of the Python files beside a configuration file, which may read keys of their own from it."""

    def get(self, path: str) -> Entry | None:
        """Return an entry by its dotted path."""
        return self.entries.get(path)

    def section(self, prefix: str) -> list[Entry]:
        """Return the entries right under a section."""
        start = prefix + "."
        return [
            entry for path, entry in self.entries.items() if path.startswith(start) and "." not in path[len(start) :]
        ]


def read_config(file: str, text: str) -> Document | None:
    """Read a configuration file; None where it does not concern FSDP.

    Raises:
        ConfigUnreadable: The text is no YAML, JSON or TOML, or more than is read.
    """
    if not _RELEVANT.search(text):
        return None
    raw = _toml(text) if file.endswith(".toml") else _yaml(text)
    kind = _kind(raw)
    return Document(kind, file, [entry for one in raw for entry in _spelled(kind, one)]) if kind else None


def _yaml(text: str) -> list[Entry]:
    """Read YAML (JSON is a part of it) by its nodes, which know their lines."""
    loader = (yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)(text)
    entries: list[Entry] = []
    try:
        while loader.check_node():
            node = loader.get_node()
            if isinstance(node, yaml.MappingNode):
                _walk(loader, node, "", entries, 0)
    except (yaml.YAMLError, ValueError, RecursionError) as err:
        raise ConfigUnreadable(f"no YAML that can be read: {' '.join(str(err).split())[:200]}") from None
    finally:
        loader.dispose()
    return entries


def _walk(loader: Any, node: yaml.MappingNode, prefix: str, entries: list[Entry], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ConfigUnreadable(f"nested more than {MAX_DEPTH} deep")
    for key, value in node.value:
        if len(entries) >= MAX_ENTRIES:
            raise ConfigUnreadable(f"more than {MAX_ENTRIES} entries")
        if not isinstance(key, yaml.ScalarNode):
            continue
        if key.tag == "tag:yaml.org,2002:merge":
            _merge(loader, value, prefix, entries, depth)
            continue
        path = f"{prefix}.{key.value}" if prefix else str(key.value)
        mark = key.start_mark
        entries.append(Entry(path, str(key.value), _value(loader, value), mark.line + 1, mark.column + 1))
        if isinstance(value, yaml.MappingNode):
            _walk(loader, value, path, entries, depth + 1)


def _merge(loader: Any, value: yaml.Node, prefix: str, entries: list[Entry], depth: int) -> None:
    """Add what `<<: *anchor` brings into a section, each entry at its own line; the section's own keys win."""
    own = {entry.path for entry in entries}
    merged: list[Entry] = []
    for node in value.value[:MAX_MERGED] if isinstance(value, yaml.SequenceNode) else [value]:
        if isinstance(node, yaml.MappingNode):
            _walk(loader, node, prefix, merged, depth + MAX_DEPTH // 4)  # few levels: each may have many
    entries += [entry for entry in merged[: MAX_ENTRIES - len(entries)] if entry.path not in own]


def _value(loader: Any, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return _scalar(loader, node)
    if isinstance(node, yaml.SequenceNode):
        return [_scalar(loader, item) for item in node.value[:100] if isinstance(item, yaml.ScalarNode)]
    return {key.value: None for key, _ in node.value[:100] if isinstance(key, yaml.ScalarNode)}


def _scalar(loader: Any, node: yaml.ScalarNode) -> Any:
    """Return a scalar by YAML's own rules; UNREAD for templates and for tags of other programs."""
    if _TEMPLATE.search(node.value) or not node.tag.startswith("tag:yaml.org,2002:"):
        return UNREAD
    try:
        return loader.construct_object(node)
    except (yaml.constructor.ConstructorError, ValueError):
        return UNREAD


def _toml(text: str) -> list[Entry]:
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as err:
        raise ConfigUnreadable(f"no TOML: {err}") from None
    lines = text.splitlines()
    return list(_flat(data, "", lines, 0))


def _flat(data: dict[str, Any], prefix: str, lines: list[str], depth: int) -> Iterator[Entry]:
    if depth > MAX_DEPTH:
        raise ConfigUnreadable(f"nested more than {MAX_DEPTH} deep")
    for key, value in data.items():
        path = f"{prefix}.{key}" if prefix else key
        line = _line_of(lines, prefix, key)
        if isinstance(value, dict):
            yield Entry(path, key, dict.fromkeys(value), line, 1)
            yield from _flat(value, path, lines, depth + 1)
        else:
            yield Entry(path, key, value, line, 1)


def _line_of(lines: list[str], section: str, key: str) -> int:
    inside = not section
    for number, line in enumerate(lines, start=1):
        stripped = line.strip()
        if stripped.startswith("["):
            inside = stripped.strip("[]").strip() == section
        elif inside and re.match(rf"{re.escape(key)}\s*=", stripped):
            return number
    return 1


def _kind(entries: list[Entry]) -> DocumentKind | None:
    top = {entry.path for entry in entries if "." not in entry.path}
    every = {entry.path for entry in entries}
    if any(path.endswith("._component_") for path in every):
        return "torchtune"
    if any(path.startswith("parallelism.data_parallel") for path in every):
        return "torchtitan"
    if "base_model" in top and top & {"fsdp", "fsdp_config", "fsdp_version"}:
        return "axolotl"
    if top & {"distributed_type", "compute_environment"}:
        return "accelerate"
    if top & {"fsdp", "fsdp_config"} and top & {"output_dir", "per_device_train_batch_size", "learning_rate"}:
        return "trainer"
    if any(path.startswith("fsdp_config.fsdp_") for path in every):
        return "accelerate"
    if top & {"transformer_layer_cls_to_wrap", "fsdp_transformer_layer_cls_to_wrap", "fsdp_version"}:
        return "fsdp_json"
    return None


def _spelled(kind: DocumentKind | None, entry: Entry) -> Iterator[Entry]:
    """Yield an entry under its path in the common spelling."""
    head, _, rest = entry.path.partition(".")
    if head == "fsdp_config":
        key = rest.removeprefix("fsdp_")
        yield entry._replace(path=f"fsdp.{key}" if rest else "fsdp")
    elif kind == "fsdp_json":
        yield entry._replace(path=f"fsdp.{entry.path.removeprefix('fsdp_')}")
    elif entry.path == "fsdp":
        yield entry._replace(path="fsdp_mode")
    elif entry.path == "fsdp_version":
        yield entry._replace(path="fsdp.version")
    else:
        yield entry


def json_is_data(text: str) -> bool:
    """Tell whether JSON holds a list at its top: data, no configuration."""
    try:
        return isinstance(json.loads(text), list)
    except (ValueError, RecursionError):
        return False
