"""Arguments: calls that configure FSDP, read as configuration documents."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from engines.review.configuration import UNREAD, Document, DocumentKind, Entry
from engines.review.flow.knowing import constant
from engines.review.flow.trace import Event
from engines.review.flow.values import Const, Ext, Map, Seq, Value
from engines.review.rule import Flow
from engines.review.scripts import Setting

TRAINING_ARGUMENTS = ("TrainingArguments", "Seq2SeqTrainingArguments")
"""Last names of transformers' classes of training arguments."""
_OF_TRL = ("SFTConfig", "DPOConfig", "GRPOConfig", "KTOConfig", "ORPOConfig", "RewardConfig", "PPOConfig", "RLOOConfig")
PLUGIN = "FullyShardedDataParallelPlugin"


def documents(flow: Flow) -> Iterator[tuple[Event, Document]]:
    """Yield the configuring calls of a trace, each with its document."""
    for qual, events in flow.trace.by_qual.items():
        kind = _kind(qual)
        if kind is not None:
            for event in events:
                entries = [*_entries(kind, event), *_set_afterwards(flow, kind, event)]
                yield event, Document(kind, event.module.path, entries)


def document_of(value: Value | None) -> Event | None:
    """Return the call of training arguments that made a value."""
    made = getattr(value, "made", None)
    return made if isinstance(made, Event) and _kind(made.qual) == "trainer" else None


def _kind(qual: str) -> DocumentKind | None:
    last = qual.rpartition(".")[2]
    if last in TRAINING_ARGUMENTS and qual.startswith("transformers."):
        return "trainer"
    if last in _OF_TRL and qual.startswith("trl."):
        return "trainer"
    if last == "ParallelismConfig" and qual.startswith("torchtitan."):
        return "torchtitan"
    return "plugin" if last == PLUGIN else None


def _entries(kind: DocumentKind, event: Event) -> Iterator[Entry]:
    for name, value in event.kwargs.items():
        if name in ("*", "**"):
            continue
        node = event.keyword(name) or event.node
        line, column = _line_of_keyword(event, name, value), getattr(node, "col_offset", 0) + 1
        yield from _entry(kind, name, value, line, column)


def _set_afterwards(flow: Flow, kind: DocumentKind, made: Event) -> Iterator[Entry]:
    """Yield what is written to the attributes of a configuration once it is made, in any case and in the same file."""
    for event in flow.trace.kind("setattr"):
        if made.result is None or event.receiver is not made.result or event.module is not made.module:
            continue
        if event.run == made.run and set(event.guards) <= set(made.guards):
            yield from _entry(kind, event.name, event.args[0], event.line, 1)


def _entry(kind: DocumentKind, name: str, value: Value, line: int, column: int) -> Iterator[Entry]:
    if name == "fsdp_config" and isinstance(value, Map):
        yield Entry("fsdp", name, dict.fromkeys(map(str, value.items)), line, column)
        yield from _section(value, line)
    else:
        yield Entry(_path(kind, name), name, plain(value), line, column)


def _path(kind: DocumentKind, name: str) -> str:
    if kind == "torchtitan":
        return f"parallelism.{name}"
    if kind == "plugin":
        return f"fsdp.{name.removeprefix('fsdp_')}"
    return {"fsdp": "fsdp_mode", "fsdp_config": "fsdp"}.get(name, name)


def _line_of_keyword(event: Event, name: str, value: Value) -> int:
    """Return the line of an argument: in the call, or in the dictionary that is handed over with `**`."""
    if isinstance(event.node, ast.Call):
        for keyword in event.node.keywords:
            if keyword.arg == name:
                return keyword.lineno
    line = value.line if isinstance(value, Const) else getattr(getattr(value, "node", None), "lineno", 0)
    lines = event.module.text.splitlines()
    return line if 0 < line <= len(lines) and name in lines[line - 1] else event.line


def _section(value: Map, default: int) -> Iterator[Entry]:
    keys = value.node.keys if isinstance(value.node, ast.Dict) else []
    lines = {str(key.value): key.lineno for key in keys if isinstance(key, ast.Constant)}
    for written, item in value.items.items():
        name = str(written)
        yield Entry(f"fsdp.{name.removeprefix('fsdp_')}", name, plain(item), lines.get(name, default), 1)


def plain(value: Value, depth: int = 4) -> Any:
    """Return a value as configuration holds it, UNREAD where it is not written down."""
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Seq) and not value.more and depth:
        return [plain(item, depth - 1) for item in value.items]
    if isinstance(value, Ext):
        return value.name.rpartition(".")[2]
    return UNREAD


def settings(flow: Flow) -> Iterator[Setting]:
    """Yield environment variables that Python code sets in any case, or for want of another value."""
    for event in flow.trace.calls("os.environ.setdefault", "os.putenv"):
        name, value = constant(event.arg(0, "key")), constant(event.arg(1, "value"))
        if not event.guards and isinstance(name, str):
            yield Setting(name, str(value or ""), event.module.path, event.line)
    for event in flow.trace.calls("os.environ.update"):
        given = event.args[0] if event.args and not event.guards else None
        for key, one in given.items.items() if isinstance(given, Map) else ():
            yield Setting(str(key), str(constant(one) or ""), event.module.path, event.line)
    for event in flow.trace.kind("setattr"):
        if not event.guards and isinstance(event.receiver, Ext) and event.receiver.name == "os.environ":
            value = event.args[0] if event.args else None
            text = str(value.value) if isinstance(value, Const) else ""
            yield Setting(event.name, text, event.module.path, event.line)
