"""What Kubeflow Trainer v2 takes as a TrainJob: a manifest is held to its published schema.

The schema is data (`manifests/trainjob.json`, derived from Kubeflow's own definition by
`scripts/trainjob_schema.py`); the rules that Kubeflow writes in CEL are functions here. No
cluster is asked: what an admission controller of one adds is not known.
"""

import json
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_FILE = Path(__file__).parent / "manifests" / "trainjob.json"
_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://.+", re.DOTALL)
_LONGEST_NAME = 63
_MANAGERS = ("trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue")
_TOP = ("apiVersion", "kind", "metadata", "spec", "status")
_SHOWN_CHARS = 60
_MOST = 100
"""Problems of one manifest that are told."""

_WORDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": Mapping,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}


class Problem(NamedTuple):
    """What a manifest may not have."""

    path: tuple[str | int, ...]
    """Keys and places that lead to it; of a missing field, to where it is missing."""
    message: str
    """What is wrong, beginning with the field."""


def is_trainjob(document: object) -> bool:
    """Tell whether a document means to be a TrainJob, rightly written or not."""
    if not isinstance(document, Mapping):
        return False
    group = str(document.get("apiVersion", "")).partition("/")[0]
    return document.get("kind") == "TrainJob" or (
        group == _schema()["group"] and "Runtime" not in str(document.get("kind"))
    )


def problems(document: object) -> tuple[Problem, ...]:
    """Return what is wrong with a manifest, in the order of its fields; empty where nothing is.

    Args:
        document: The manifest as plain data.
    """
    found = []
    for problem in _of_manifest(document):
        found.append(problem)
        if len(found) == _MOST:
            break
    return tuple(found)


def field(path: tuple[str | int, ...]) -> str:
    """Return a path as it is written: spec.trainer.env[2].name."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "the manifest"


@cache
def _schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return loaded


def _of_manifest(document: object) -> Iterator[Problem]:
    if not isinstance(document, Mapping):
        yield Problem((), f"the manifest must be a mapping, not {_shown(document)}")
        return
    schema = _schema()
    wanted = {"apiVersion": f"{schema['group']}/{schema['version']}", "kind": schema["kind"]}
    for name, value in wanted.items():
        if document.get(name) != value:
            yield _wrong((name,), f"must be {value}, not {_shown(document.get(name))}")
    yield from _unknown(document, _TOP, ())
    yield from _of_metadata(document.get("metadata"))
    if "spec" not in document:
        yield Problem((), "spec is missing")
        return
    yield from _of_value(document["spec"], schema["spec"], ("spec",))
    yield from _rules(document["spec"])


def _of_metadata(metadata: object) -> Iterator[Problem]:
    if not isinstance(metadata, Mapping) or "name" not in metadata:
        yield Problem(("metadata",) if metadata is not None else (), "metadata.name is missing")
        return
    name = metadata["name"]
    if not isinstance(name, str) or not _LABEL.fullmatch(name):
        yield _wrong(
            ("metadata", "name"),
            f"must be lower-case letters, digits and hyphens that begin with a letter, not {_shown(name)}",
        )
    elif len(name) > _LONGEST_NAME:
        yield _wrong(("metadata", "name"), f"has {len(name)} characters; {_LONGEST_NAME} are allowed")
    for key in ("labels", "annotations"):
        yield from _of_value(
            metadata.get(key, {}), {"type": "object", "additionalProperties": {"type": "string"}}, ("metadata", key)
        )


def _of_value(value: object, schema: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[Problem]:
    """Yield what is wrong with a value and with what is in it."""
    types = schema.get("type")
    allowed = types if isinstance(types, list) else [types] if types else []
    if allowed and not any(_is(value, kind) for kind in allowed):
        yield _wrong(path, f"must be {' or '.join(_WORDS[kind] for kind in allowed)}, not {_shown(value)}")
        return
    if isinstance(value, Mapping):
        yield from _of_mapping(value, schema, path)
    elif isinstance(value, list):
        yield from _of_list(value, schema, path)
    elif isinstance(value, str):
        yield from _of_text(value, schema, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        least, most = schema.get("minimum"), schema.get("maximum")
        if least is not None and value < least:
            yield _wrong(path, f"must be {least} or more, not {value}")
        if most is not None and value > most:
            yield _wrong(path, f"must be {most} or less, not {value}")


def _of_mapping(value: Mapping[Any, Any], schema: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[Problem]:
    for name in schema.get("required", ()):
        if name not in value:
            yield Problem(path, f"{field((*path, name))} is missing")
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    if others is False:
        yield from _unknown(value, tuple(properties), path)
    for name, child in value.items():
        inner = properties.get(name, others if isinstance(others, Mapping) else None)
        if inner is not None:
            yield from _of_value(child, inner, (*path, str(name)))


def _of_list(value: list[Any], schema: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[Problem]:
    if len(value) > schema.get("maxItems", len(value)):
        yield _wrong(path, f"has {len(value)} entries; {schema['maxItems']} are allowed")
        return
    seen: set[str] = set()
    for place, child in enumerate(value):
        if "items" in schema:
            yield from _of_value(child, schema["items"], (*path, place))
        if "unique_by" in schema and isinstance(child, Mapping):
            key = ", ".join(str(child.get(name)) for name in schema["unique_by"])
            if key in seen:
                yield _wrong((*path, place), f"repeats the {' and '.join(schema['unique_by'])} {_shown(key)}")
            seen.add(key)


def _of_text(value: str, schema: Mapping[str, Any], path: tuple[str | int, ...]) -> Iterator[Problem]:
    if len(value) < schema.get("minLength", 0):
        yield _wrong(path, "must not be empty")
    if len(value) > schema.get("maxLength", len(value)):
        yield _wrong(path, f"has {len(value)} characters; {schema['maxLength']} are allowed")
    if "enum" in schema and value not in schema["enum"]:
        yield _wrong(path, f"must be one of {', '.join(schema['enum'])}, not {_shown(value)}")
    if "pattern" in schema and not re.search(schema["pattern"], value[:256]):
        quantity = ": a quantity is written as 8, 500m or 64Gi" if "KMGTPE" in schema["pattern"] else ""
        yield _wrong(path, f"has the wrong form: {_shown(value)}{quantity}")


def _rules(spec: object) -> Iterator[Problem]:
    """Yield what breaks the rules that the definition writes in CEL, as far as a new manifest can."""
    if not isinstance(spec, Mapping):
        return
    trainer, initializer = spec.get("trainer"), spec.get("initializer")
    if isinstance(trainer, Mapping):
        # that of processes is Trainer's (after v2.3.0); a job on no machine is never meant
        for name in ("numNodes", "numProcPerNode"):
            value = trainer.get(name)
            if _is(value, "integer") and isinstance(value, int) and value < 1:
                yield _wrong(("spec", "trainer", name), f"must be 1 or more, not {value}")
    managed = spec.get("managedBy")
    if isinstance(managed, str) and managed not in _MANAGERS:
        yield _wrong(("spec", "managedBy"), f"must be {' or '.join(_MANAGERS)}, not {_shown(managed)}")
    for part in ("dataset", "model"):
        source = initializer.get(part) if isinstance(initializer, Mapping) else None
        uri = source.get("storageUri") if isinstance(source, Mapping) else None
        if isinstance(uri, str) and uri and not _URI.fullmatch(uri):
            place = ("spec", "initializer", part, "storageUri")
            yield _wrong(place, f"must begin with a scheme such as hf:// or s3://, not {_shown(uri)}")


def _unknown(value: Mapping[Any, Any], known: tuple[str, ...], path: tuple[str | int, ...]) -> Iterator[Problem]:
    for name in value:
        if name not in known:
            near = get_close_matches(str(name)[:_SHOWN_CHARS], known, n=1, cutoff=0.7)
            hint = f"; {near[0]} is meant?" if near else ""
            yield _wrong((*path, str(name)), f"is no field of a TrainJob{hint}")


def _is(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _wrong(path: tuple[str | int, ...], message: str) -> Problem:
    return Problem(path, f"{field(path)} {message}")


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = (
        repr(value)
        if not isinstance(value, Mapping | list)
        else _WORDS["object" if isinstance(value, Mapping) else "array"]
    )
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 3] + "..."
