"""Methods of objects outside the project: what they return."""

from __future__ import annotations

import re

from engines.review.flow.core import Core
from engines.review.flow.kept import drop
from engines.review.flow.knowing import MAX_OPTIONS, join, objects, options
from engines.review.flow.ranks import by_name, of_call
from engines.review.flow.trace import Event
from engines.review.flow.values import UNKNOWN, Alt, Const, Function, Map, Obj, Seq, Value

RETURN_SELF = frozenset(
    (
        *("to", "cuda", "cpu", "xpu", "npu", "half", "bfloat16", "float", "double", "type", "train", "eval", "apply"),
        *("requires_grad_", "to_empty", "share_memory", "detach", "contiguous", "clone", "reset_parameters"),
    )
)
"""Methods whose result is the same module (or a tensor that stands for it)."""

_OF_MODULES_ONLY = ("to_empty", "train", "eval", "apply")
"""Those of them that tensors do not have."""

_LOGGING = ("debug", "info", "warning", "error", "log")
_SPECIFIED = re.compile(r"\{\w*:[^}]+\}|%\d*\.?\d*[feg]")
"""A template that formats numbers, not only turns them into text."""

WALKS = {"modules": False, "named_modules": True, "children": False, "named_children": True}
"""Walks over a module's parts, and whether they yield (name, module) pairs."""

_MODEL = re.compile(r"(^|[._])(model|net|network|module|encoder|decoder|policy|actor|critic|transformer|backbone|lm)$")
"""Names of variables and attributes that hold modules."""

REGISTERS = frozenset({"register_parameter", "register_module", "add_module"})
"""Methods that set an attribute."""

PARAMETERS = frozenset({"parameters", "named_parameters"})


class Methods(Core):
    """Results of method calls that are not followed."""

    def method_result(self, event: Event) -> Value:
        """Return the value of a method call; the event holds receiver, name and arguments."""
        receiver = event.receiver if event.receiver is not None else UNKNOWN
        self._formats(event, receiver)
        if isinstance(receiver, Seq):
            return self._of_sequence(receiver, event)
        if isinstance(receiver, Map):
            return self._of_mapping(receiver, event)
        if isinstance(receiver, Alt) and all(isinstance(option, Seq) for option in receiver.options):
            return join(*(self._of_sequence(option, event) for option in receiver.options if isinstance(option, Seq)))
        name = event.method
        if name in RETURN_SELF and not isinstance(receiver, Const):
            if name == "apply" and event.args:
                self._applied(event.args[0], receiver, event)
            return self._moved(receiver, event)
        if name in WALKS:
            return self._walk(receiver, event, WALKS[name])
        if name in PARAMETERS:
            return self._parameters(receiver, event)
        if name in ("items", "values", "keys") and not event.args:
            return self._view(receiver, event)
        if name == "prepare":
            return self._prepared(event)
        if name in REGISTERS and len(event.args) > 1 and isinstance(receiver, Obj):
            self._registered(receiver, event)
        if name in ("copy", "pop", "get", "setdefault") and isinstance(receiver, Obj):
            key = event.args[0] if event.args else None
            if isinstance(key, Const):
                known = receiver.attrs.get(f"[{key.value!r}]")
                if known is not None:
                    return known
        return self.opaque(event)

    def _registered(self, receiver: Obj, event: Event) -> None:
        """register_parameter("x", value) is self.x = value; with the names of a walk each part is replaced."""
        name, value = event.args[:2]
        if isinstance(name, Const) and isinstance(name.value, str):
            self.set_attr(receiver, name.value, value)
        elif isinstance(value, Obj) and value.inner is not None and value.inner is receiver.attrs.get("[*]"):
            self.set_attr(receiver, "[*]", value)

    def _formats(self, event: Event, receiver: Value) -> None:
        """Record "{:.3f}".format(x) and log.info("%.3f", x) as formatting."""
        template: object = None
        if event.method == "format" and isinstance(receiver, Const):
            template, values = receiver.value, (*event.args, *event.kwargs.values())
        elif event.args and isinstance(event.args[0], Const) and event.method in _LOGGING:
            template, values = event.args[0].value, event.args[1:]
        if isinstance(template, str) and _SPECIFIED.search(template):
            made = self.emit("format", event.node)
            made.args, made.name = values, template
            self.record(made)

    def opaque(self, event: Event) -> Obj:
        """Return a new object that remembers the call which made it."""
        receiver = event.receiver
        sources = (*((receiver,) if receiver is not None else ()), *event.args, *event.kwargs.values())
        rank = of_call(event.method, event.args, event.kwargs) if _asks_whole_job(receiver) else ""
        return Obj("call", sources=sources, node=event.node, made=event, rank=rank)

    def _moved(self, receiver: Value, event: Event) -> Value:
        """A module that is moved is the same module; a value that was computed is a new one."""
        if event.method in _OF_MODULES_ONLY or all(
            isinstance(option, Obj) and _stands_for_module(option) for option in options(receiver)
        ):
            return receiver
        return self.opaque(event)

    def _applied(self, function: Value, receiver: Value, event: Event) -> None:
        if isinstance(function, Function):
            for option in options(receiver):
                if isinstance(option, Obj):
                    for made in objects(self.inline(function, (self.descendant(option),), {}, event.node)):
                        drop(made, self.frame.module, event.node)  # apply() takes no answer

    def descendant(self, obj: Obj) -> Obj:
        """Return the one object that stands for any module inside another (itself included)."""
        found = obj.attrs.get("[**]")
        if isinstance(found, Obj):
            return found
        made = Obj("descendant", f"{obj.label}[**]", parent=obj, symbolic=obj.symbolic)
        obj.attrs["[**]"] = made
        return made

    def _walk(self, receiver: Value, event: Event, named: bool) -> Value:
        made = self.opaque(event)
        parts: list[Value] = []
        for option in options(receiver):
            if isinstance(option, Obj) and option is not UNKNOWN:
                whole = event.method in ("modules", "named_modules")
                parts.append(self.descendant(option) if whole else self.element(option))
        part = join(*parts)
        made.attrs["[*]"] = Seq([Obj("expr", "name"), part]) if named else part
        return made

    def _parameters(self, receiver: Value, event: Event) -> Value:
        made = self.opaque(event)
        made.label = f"{getattr(receiver, 'label', '')}.{event.method}()"
        parameter = Obj("elem", "parameter", sources=(made,), made=event)
        if event.method == "named_parameters":
            name = Obj("expr", "name", sources=(made,), made=event)
            made.attrs["[*]"] = Seq([name, parameter])
        else:
            made.attrs["[*]"] = parameter
        return made

    def _view(self, receiver: Value, event: Event) -> Value:
        made = self.opaque(event)
        item = self.element(receiver)
        key = Obj("expr", "key")
        made.attrs["[*]"] = {"items": Seq([key, item]), "values": item}.get(event.method, key)
        return made

    def _prepared(self, event: Event) -> Value:
        """accelerator.prepare returns what it was given, in its prepared form."""
        prepared: list[Value] = []
        for argument in event.args:
            made = Obj("call", getattr(argument, "label", ""), sources=(argument,), node=event.node, made=event)
            made.inner = argument.options[0] if isinstance(argument, Alt) else argument
            if isinstance(made.inner, Obj):
                made.cls = made.inner.cls
            prepared.append(made)
        if len(prepared) == 1 and "*" not in event.kwargs:
            return prepared[0]
        return Seq(prepared, more="*" in event.kwargs) if prepared else self.opaque(event)

    def _of_sequence(self, receiver: Seq, event: Event) -> Value:
        if event.method in ("append", "add", "insert") and event.args:
            receiver.items.append(event.args[-1])
            if isinstance(event.args[-1], Obj) and event.args[-1].op == "call":
                event.args[-1].names.add(("", "[]"))
            receiver.sources += (event.args[-1],)
            receiver.more = (
                receiver.more or bool(event.guards) or any(loop not in self.unrolled for loop in event.loops)
            )
            return Const(None)
        if event.method in ("reverse", "sort"):
            if event.method == "reverse":
                receiver.items.reverse()
            receiver.sources = tuple(receiver.items)  # no longer in the order of what it was made from
            return Const(None)
        if event.method == "extend" and event.args:
            given = event.args[0]
            receiver.items.extend(given.items if isinstance(given, Seq) else [self.element(given)])
            receiver.more = True
            return Const(None)
        return Obj("call", sources=(receiver, *event.args), node=event.node, made=event)

    def take_out(self, receiver: Map, key: Const) -> Value:
        """Remove an entry; one that is removed on one path of several may be absent: one of its values is None."""
        value = receiver.items[key.value]
        if self.heap is None:
            del receiver.items[key.value]
        else:
            receiver.items[key.value] = join(value, Const(None))
        return value

    def _of_mapping(self, receiver: Map, event: Event) -> Value:
        key = event.args[0] if event.args else None
        if event.method in ("get", "pop", "setdefault") and isinstance(key, Const) and key.value in receiver.items:
            return self.take_out(receiver, key) if event.method == "pop" else receiver.items[key.value]
        if event.method == "update":
            given = event.args[0] if event.args else None
            named: dict[object, Value] = {name: value for name, value in event.kwargs.items() if name != "**"}
            receiver.put({**(given.items if isinstance(given, Map) else {}), **named}, on_path=self.heap is not None)
            receiver.sources += (*event.args, *event.kwargs.values())
            if "**" in event.kwargs or (given is not None and not (isinstance(given, Map) and not given.more)):
                receiver.open_up()
            return Const(None)
        if event.method in ("items", "values", "keys") and not receiver.more:
            return Seq([_entry(event.method, Const(name), value) for name, value in receiver.items.items()])
        made = Obj("call", sources=(receiver, *event.args), node=event.node, made=event)
        known = receiver.values() if not receiver.more or receiver.rest is not None else ()
        value = join(*known[:MAX_OPTIONS])
        name = receiver.key or Obj("expr", "key")
        made.attrs["[*]"] = {"items": Seq([name, value]), "values": value, "keys": name}.get(event.method, UNKNOWN)
        if event.method in ("get", "pop", "setdefault") and receiver.rest is not None:
            return receiver.rest
        return made


def _stands_for_module(obj: Obj) -> bool:
    if obj.op in ("param", "attr", "new", "elem", "descendant", "item") or obj.inner is not None or obj.cls is not None:
        return True
    if obj.op == "call" and _MODEL.search(obj.label):
        return True
    return obj.qual.endswith(("from_pretrained", "from_config", "build_model", "create_model")) or obj.qual.startswith(
        ("torch.nn.", "torchvision.models.")
    )


def _asks_whole_job(receiver: Value | None) -> bool:
    """A rank that is asked of a mesh or a group says nothing about the whole job."""
    label = getattr(receiver, "label", "")
    return not any(word in label for word in ("mesh", "group", "_pg")) or bool(by_name(label.rpartition(".")[2]))


def _entry(view: str, key: Value, value: Value) -> Value:
    """What items(), keys() or values() yields for an entry."""
    if view == "items":
        return Seq([key, value])
    return key if view == "keys" else value
