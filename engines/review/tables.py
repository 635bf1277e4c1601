"""Tables: rules that are rows of `tables.yaml`, and how a row is matched.

Three shapes: names of a library (deprecated, moved, removed), environment variables, and
keys of configuration documents. What a row may hold is written at the top of the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from contracts.finding import Severity
from engines.review.configuration import Document, Entry, Unread
from engines.review.naming import Names, Use
from engines.review.rule import Check, Hit, Rule
from engines.review.scripts import Environment, Setting
from engines.review.versions import within_range
from knowledge.safe_yaml import parse_yaml

_FILE = Path(__file__).with_name("tables.yaml")
Row = dict[str, Any]


@cache
def table_rules() -> tuple[tuple[Rule, Check], ...]:
    """Return the rules of the data file, each with its check."""
    data = parse_yaml(_FILE.read_text(encoding="utf-8"))
    matchers: dict[str, Callable[..., Iterator[Hit]]] = {
        "names": _names,
        "environment": _environment,
        "config": _config,
    }
    found: list[tuple[Rule, Check]] = []
    for entry in data["rules"]:
        rule = Rule(
            id=entry["id"],
            slug=entry["slug"],
            severity=entry["severity"],
            fix=entry["fix"],
            torch=entry.get("torch", ""),
            reads=entry["reads"],
        )
        found.append((rule, partial(matchers[rule.reads], entry["rows"])))
    return tuple(found)


def _names(rows: list[Row], names: Names) -> Iterator[Hit]:
    """Yield the first use of each name in a file."""
    reported: set[str] = set()
    current = [row for row in rows if within_range(names.torch, row.get("torch", ""))]
    exact: dict[str, list[Row]] = {}
    for row in current:
        exact.setdefault(row["name"], []).append(row)
    below = [row for row in current if row["name"].endswith(".*")]
    for use in names.uses:
        for row in (*exact.get(use.name, ()), *below):
            if row["message"] not in reported and _matches_name(row, use):
                reported.add(row["message"])
                severity: Severity | None = "advice" if _is_one_choice(row, names) else row.get("severity")
                yield Hit(names.path, use.line, use.column, row["message"], row.get("fix", ""), severity)


def _is_one_choice(row: Row, names: Names) -> bool:
    """Tell whether the file names alternatives as well: it offers the name, and another one may be chosen."""
    others = row.get("choice_of", "")
    return bool(others) and any(use.name.startswith(others) and use.name != row["name"] for use in names.uses)


def _matches_name(row: Row, use: Use) -> bool:
    wanted = row["name"]
    if row.get("at", "any") == "import" and not use.imported:
        return False
    if use.guarded and row.get("guarded", True):
        return False
    if use.asked and "choice_of" in row:
        return False
    return use.name == wanted or (wanted.endswith(".*") and use.name.startswith(wanted[:-1]))


def _environment(rows: list[Row], environment: Environment) -> Iterator[Hit]:
    for setting in environment.settings:
        for row in rows:
            if row["name"] == setting.name and _setting_counts(row, setting, environment):
                yield Hit(
                    setting.path,
                    setting.line,
                    1,
                    row["message"].format(name=setting.name),
                    row.get("fix", ""),
                    row.get("severity"),
                )


def _setting_counts(row: Row, setting: Setting, environment: Environment) -> bool:
    if row.get("several_nodes") and not environment.several_nodes:
        return False
    values = row.get("values")
    return values is None or setting.value.strip("\"'").lower() in [str(value).lower() for value in values]


def _config(rows: list[Row], document: Document) -> Iterator[Hit]:
    for row in rows:
        if document.kind not in row["kinds"] or not _conditions_hold(row, document):
            continue
        place = _place(row, document)
        if place is not None:
            message = row["message"].format(key=place.written, value=place.value)
            yield Hit(document.file, place.line, place.column, message, row.get("fix", ""), row.get("severity"))


def _conditions_hold(row: Row, document: Document) -> bool:
    for path, values in row.get("when", {}).items():
        entry = document.get(path)
        if entry is None or not _is_one_of(entry, values):
            return False
    for path, value in row.get("unless_is", {}).items():
        known = document.get(path)
        if known is not None and (isinstance(known.value, Unread) or known.value is value):
            return False
    for path, values in row.get("unless", {}).items():
        entry = document.get(path)
        if entry is not None and (values == "any" or isinstance(entry.value, Unread) or _is_one_of(entry, values)):
            return False
    return True


def _place(row: Row, document: Document) -> Entry | None:
    """Return the entry that a row is about; for an absent key, the section where it should be."""
    entry = document.get(row["key"])
    if row.get("absent"):
        section = document.get(row["at"])
        return None if entry is not None or (section is not None and isinstance(section.value, Unread)) else section
    if entry is None or isinstance(entry.value, Unread):
        return None
    if "values" in row and not _is_one_of(entry, row["values"]):
        return None
    if "not_values" in row and _is_one_of(entry, row["not_values"]):
        return None
    if "type" in row and type(entry.value).__name__ not in row["type"]:
        return None
    pattern = row.get("pattern")
    text = " ".join(map(str, entry.value)) if isinstance(entry.value, list) else str(entry.value)
    return None if pattern is not None and not re.search(pattern, text, re.IGNORECASE) else entry


def _is_one_of(entry: Entry, values: Any) -> bool:
    """Compare as text without case; "set" is anything but empty, false or null."""
    if isinstance(entry.value, Unread):
        return False
    if values == "set":
        return entry.value not in (None, False, "", [], {})
    if values == "any":
        return True
    return _text(entry.value) in [_text(value) for value in values]


def _text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value).strip().lower()
