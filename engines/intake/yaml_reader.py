"""YAML and JSON text to plain data, with hostile input refused early.

Both readers refuse duplicate keys, deep nesting and non-finite numbers. YAML aliases,
tags and merge keys are refused altogether: a request needs none, and aliases are how a
short file becomes a large structure.
"""

import json
import re
from collections.abc import Hashable
from typing import Any

import yaml

from contracts.errors import RequestInvalid

MAX_DEPTH = 20
"""Levels of nesting; a Request has four."""
MAX_NODES = 10_000
"""Values in one document; a Request has some sixty, its lists a few thousand at most."""


class RawInt(int):
    """A whole number that remembers how it was written."""

    raw: str


class RawFloat(float):
    """A number that remembers how it was written: a version 2.10 is not 2.1."""

    raw: str


def _raw_int(text: str) -> RawInt:
    number = RawInt(text.replace("_", ""))
    number.raw = text
    return number


def _raw_float(text: str) -> RawFloat:
    number = RawFloat(text.replace("_", ""))
    number.raw = text
    return number


def _refuse(message: str) -> RequestInvalid:
    return RequestInvalid(message, code="request_unreadable")


class _RequestLoader(yaml.SafeLoader):
    """SafeLoader without aliases, tags, dates, octal and base-60 numbers."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  PyYAML's own protocol

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.depth = 0
        self.nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose one node; refuse aliases, foreign tags and depth before they are built."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _refuse(f"line {line}: anchors and aliases (& and *) are not allowed; write the value out")
        if getattr(event, "tag", None):
            raise _refuse(f"line {line}: the tag {event.tag!r} is not allowed; write plain values")
        if self.depth >= MAX_DEPTH:
            raise _refuse(f"line {line}: nested more than {MAX_DEPTH} levels deep")
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise _refuse(f"line {line}: more than {MAX_NODES} values")
        self.depth += 1
        try:
            node: yaml.Node | None = super().compose_node(parent, index)
        finally:
            self.depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Build a mapping of text keys, each given once."""
        result: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise _refuse(f"line {line}: a key must be a word")
            key = key_node.value
            if key in result:
                raise _refuse(f"line {line}: the key {key!r} is given twice")
            result[key] = self.construct_object(value_node, deep=deep)
        return result


def _build_loader() -> None:
    for tag, pattern, first in (
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("bool", r"yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF", list("yYnNtTfFoO")),
        ("int", r"[-+]?(?:0|[1-9][0-9_]*)", list("-+0123456789")),
        ("float", r"[-+]?(?:\d[\d_]*\.\d*|\.\d+|\d[\d_]*(?=[eE]))(?:[eE][-+]?\d+)?", list("-+.0123456789")),
    ):
        _RequestLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"(?:{pattern})\Z"), first)
    _RequestLoader.add_constructor("tag:yaml.org,2002:int", lambda _, node: _raw_int(node.value))
    _RequestLoader.add_constructor("tag:yaml.org,2002:float", lambda _, node: _raw_float(node.value))


_build_loader()


def read_yaml(text: str) -> Any:
    """Read one YAML document.

    Args:
        text: The document.

    Returns:
        Dictionaries, lists, text, numbers, booleans and None.

    Raises:
        RequestInvalid: Broken YAML, or anything that a request has no use for.
    """
    try:
        loader = _RequestLoader(text)
    except yaml.reader.ReaderError as broken:
        raise _refuse(f"control characters are not allowed (character {broken.position})") from None
    try:
        return loader.get_single_data()
    except yaml.MarkedYAMLError as broken:
        mark = broken.problem_mark or broken.context_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise _refuse(f"{where}not valid YAML: {broken.problem or broken.context}") from None
    except yaml.YAMLError as broken:
        raise _refuse(f"not valid YAML: {str(broken).splitlines()[0]}") from None
    except (RecursionError, ValueError) as broken:
        if isinstance(broken, RequestInvalid):
            raise
        raise _refuse("not readable as YAML: nested too deeply, or a number is too long") from None
    finally:
        loader.dispose()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise _refuse(f"the key {key!r} is given twice")
        result[key] = value
    return result


def _no_constant(name: str) -> Any:
    raise _refuse(f"{name} is not a number that can be used")


def _too_deep(text: str) -> bool:
    depth = deepest = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', text, re.DOTALL):
        mark = token.group()
        depth += 1 if mark in "[{" else -1 if mark in "]}" else 0
        deepest = max(deepest, depth)
    return deepest > MAX_DEPTH


def read_json(text: str) -> Any:
    """Read one JSON document.

    Args:
        text: The document.

    Returns:
        Dictionaries, lists, text, numbers, booleans and None.

    Raises:
        RequestInvalid: Broken JSON, duplicate keys, NaN, or too deep.
    """
    if _too_deep(text):
        raise _refuse(f"nested more than {MAX_DEPTH} levels deep")
    try:
        return json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_int=_raw_int,
            parse_float=_raw_float,
        )
    except json.JSONDecodeError as broken:
        raise _refuse(f"line {broken.lineno}, column {broken.colno}: not valid JSON: {broken.msg}") from None
    except (RecursionError, ValueError) as broken:
        if isinstance(broken, RequestInvalid):
            raise
        raise _refuse("not readable as JSON: nested too deeply, or a number is too long") from None
