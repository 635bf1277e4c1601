"""Sharding: which modules are sharded, by which API, before which event."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from engines.review.flow.facts import Fact, Facts, Kind, class_key, presumed, shape
from engines.review.flow.knowing import objects
from engines.review.flow.names import FSDP1, FULLY_SHARD
from engines.review.flow.trace import Event, Trace, compatible
from engines.review.flow.values import UNKNOWN, Class, Obj, Value

_ASKS_FOR_FSDP = re.compile(r"fsdp|shard|dtensor", re.IGNORECASE)


class Shard(NamedTuple):
    """A call that shards modules."""

    event: Event
    kind: Kind
    targets: tuple[Obj, ...]
    """What is sharded, without wrappers."""


def base(obj: Obj) -> Obj:
    """Return the module inside all wrappers."""
    for _ in range(8):
        if not isinstance(obj.inner, Obj):
            break
        obj = obj.inner
    return obj


def chain(obj: Obj) -> Iterator[Obj]:
    """Yield a module without wrappers and the modules that it is a part of."""
    current: Obj | None = base(obj)
    for _ in range(24):
        if current is None:
            return
        yield current
        held_by = _owner(obj if current is base(obj) else current)
        current = base(held_by) if held_by is not None else None


def _owner(obj: Obj) -> Obj | None:
    """Return the module that holds a module, which its wrapper may have been given to."""
    layers = list(wrappers(obj))
    return next((layer.parent for layer in reversed(layers) if layer.parent is not None), None)


def _root(obj: Obj) -> Obj:
    """Return the outermost module that a module is a part of."""
    *_, last = chain(obj)
    return last


def within(part: Obj, whole: Obj) -> bool:
    """Tell whether one module is another or a part of it."""
    top = base(whole)
    return any(link is top for link in chain(part))


def wrappers(obj: Obj) -> Iterator[Obj]:
    """Yield an object and the objects inside it, outermost first."""
    current: Value | None = obj
    for _ in range(8):
        if not isinstance(current, Obj):
            return
        yield current
        current = current.inner


def for_want_of_fsdp(event: Event) -> bool:
    """Tell whether an event is on the path that code takes where FSDP is not used."""
    for guard in event.guards:
        test = getattr(guard.node, "test", None)
        if guard.arm == 1 and test is not None and _ASKS_FOR_FSDP.search(ast.unparse(test)):
            return True
    return False


class Sharding:
    """Sharding calls of a trace, and the questions that rules ask about them."""

    def __init__(self, trace: Trace, facts: Facts) -> None:
        """Index the sharding calls and add what they say to the facts.

        Args:
            trace: The events.
            facts: What the files of the project shard, as far as it is known; extended.
        """
        self.trace = trace
        self.facts = facts
        self.shards = sorted(self._shards(), key=lambda shard: shard.event.seq)
        self._by_root: dict[int, list[Shard]] = {}
        """Shards by the outermost module of a target: only these can hold, or lie within, a part of it."""
        for shard in self.shards:
            self._remember(shard)
            for root in {id(_root(target)) for target in shard.targets}:
                self._by_root.setdefault(root, []).append(shard)

    def _shards(self) -> Iterator[Shard]:
        for event in self.trace.calls(FULLY_SHARD):
            yield Shard(event, "fsdp2", _targets(event.arg(0, "module")))
        for event in self.trace.calls(FSDP1):
            yield Shard(event, "fsdp1", _targets(event.arg(0, "module")))

    def _remember(self, shard: Shard) -> None:
        for target in shard.targets:
            if target.op in ("elem", "descendant"):
                continue
            held = {*target.names, *(known for made in objects(shard.event.result) for known in made.names)}
            for path in {shard.event.module.path, *(site.module.path for site in shard.event.stack[-1:])}:
                names = frozenset(name for where, name in held if where == path)
                fact = Fact(shard.kind, names, class_key(target.cls), shape(target.cls), target.label)
                known = self.facts.setdefault(path, [])
                if fact not in known:
                    known.append(fact)

    def kinds(self, value: Value | None, event: Event) -> set[Kind]:
        """Return the APIs by which a module (or a part of it) is sharded when an event happens.

        A module that is sharded in code whose order is not known counts as sharded. Both
        kinds together mean that the code knows two ways; rules then stay silent.
        """
        found: set[Kind] = set()
        for obj in objects(value):
            found |= self._kinds_of(obj, event)
        return set() if found and for_want_of_fsdp(event) else found

    def _kinds_of(self, obj: Obj, event: Event) -> set[Kind]:
        found: set[Kind] = set()
        for layer in wrappers(obj):
            if layer.qual == FSDP1 and layer.made is not None and compatible(layer.made, event):
                found.add("fsdp1")
        for shard in self._by_root.get(id(_root(obj)), ()):
            if shard.kind in found:
                continue
            if shard.kind == "fsdp1" and not any(wrapped.op in ("elem", "attr") for wrapped in shard.targets):
                continue
            if any(within(target, obj) or within(obj, target) for target in shard.targets) and self._happened(
                shard.event, event
            ):
                found.add(shard.kind)
        if found or _overridden(event):
            return found
        return presumed(list(chain(obj))[-1], self.facts) or self._by_class(obj)

    def _by_class(self, obj: Obj) -> set[Kind]:
        """Kinds of the same part of another instance of a class: `self.layers[0]` in a method that nobody calls."""
        links = list(chain(obj))
        top = links[-1]
        if top.cls is None or not top.symbolic or top.op != "new" or len(links) == 1:
            return set()
        mine = [_part_name(link) for link in links[:-1]]
        found: set[Kind] = set()
        for shard in self.shards:
            for target in shard.targets:
                theirs = list(chain(target))
                if (theirs[-1].cls is top.cls or _may_be(theirs[-1], top.cls)) and [
                    _part_name(link) for link in theirs[:-1]
                ] == mine:
                    found.add(shard.kind)
        return found

    def unit_kinds(self, value: Value | None, event: Event) -> set[Kind]:
        """Return the APIs by which a module itself, or parts of it, are sharded at an event.

        A part of a unit that is no unit itself has none: calling it gathers nothing.
        """
        found: set[Kind] = set()
        for obj in objects(value):
            whole = base(obj)
            near = self._by_root.get(id(_root(whole)), ())
            if whole.op == "attr" and not any(within(t, whole) for shard in near for t in shard.targets):
                continue
            found |= self._kinds_of(obj, event)
        return set() if found and for_want_of_fsdp(event) else found

    def comes_later(self, value: Value | None, event: Event) -> bool:
        """Tell whether a module is certainly sharded only after an event."""
        shards = [shard.event for shard in self.shards if self.touches(shard, value)]
        known = [shard for shard in shards if self.trace.ordered(shard, event) and compatible(shard, event)]
        return bool(known) and all(self.trace.before(event, shard) for shard in known)

    def _happened(self, shard: Event, event: Event) -> bool:
        if self.trace.ordered(shard, event):
            return self.trace.before(shard, event)
        return True

    def concerns(self, target: Obj, obj: Obj) -> bool:
        """Tell whether sharding one module shards another, or a part of it."""
        return within(target, obj) or within(obj, target)

    def touches(self, shard: Shard, value: Value | None) -> bool:
        """Tell whether a sharding call concerns a module or a part of it."""
        return any(self.concerns(target, obj) for target in shard.targets for obj in objects(value))

    def is_sharded(self, value: Value | None, event: Event, kind: Kind) -> bool:
        """Tell whether a module is sharded by this API, and by no other, when an event happens."""
        return self.kinds(value, event) == {kind}


def _may_be(obj: Obj, cls: Class) -> bool:
    """Tell whether a parameter of unknown class is used as one of this class: several of its parts are asked for."""
    used = {name for name in obj.attrs if not name.startswith("[")}
    return obj.op == "param" and obj.cls is None and len(used) > 1 and used <= shape(cls)


def _part_name(part: Obj) -> str:
    """Return the attribute by which a module is held, as it is written; the last part of its label for want of one."""
    held = part.parent.attrs.items() if part.parent is not None else ()
    return next((name for name, value in held if value is part), part.label.rpartition(".")[2])


def _overridden(event: Event) -> bool:
    """Tell whether an event is in a method that a subclass of the same file replaces, perhaps for its sharding."""
    function = event.function()
    owner = function.owner if function is not None else None
    if function is None or owner is None:
        return False
    classes = [value for value in owner.module.scope.vars.values() if isinstance(value, Class) and value is not owner]
    return any(function.name in cls.members and any(link is owner for link in cls.linear()) for cls in classes)


def _targets(value: Value | None) -> tuple[Obj, ...]:
    return tuple(base(obj) for obj in objects(value) if obj is not UNKNOWN)
