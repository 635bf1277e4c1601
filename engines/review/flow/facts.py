"""Facts: what each file is known to shard, for code that no call connects with the sharding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from engines.review.flow.values import Class, Obj

Kind = Literal["fsdp1", "fsdp2"]

GENERIC_NAMES = ("model", "net", "network", "module", "m")
"""A parameter of these names stands for the one model that its file shards."""


class Fact(NamedTuple):
    """What a file is known to shard, for code that is not connected to the call."""

    kind: Kind
    names: frozenset[str]
    """Variables that held it."""
    cls: str
    """Its class, as path and line; "" where it is not known."""
    shape: frozenset[str]
    """Attributes and methods of its class."""
    target: str
    """How it is called where it is sharded."""


Facts = dict[str, list[Fact]]
"""Facts by path of the file."""


def presumed(top: Obj, facts: Facts) -> set[Kind]:
    """Return the kinds of modules of the same name, class or shape that a parameter's file shards."""
    if top.home is None:
        return set()
    path, name = top.home
    known = facts.get(path, [])
    same_class = class_key(top.cls)
    found = {fact.kind for fact in known if name in fact.names or (fact.cls and fact.cls == same_class)}
    if not found and name in GENERIC_NAMES and len({fact.target for fact in known}) == 1:
        found = {fact.kind for fact in known}
    return found or _by_shape(top, known)


def class_key(cls: Class | None) -> str:
    """Return what tells a class from every other, "" for none."""
    return f"{cls.module.path}:{cls.node.lineno}" if cls is not None else ""


def shape(cls: Class | None) -> frozenset[str]:
    """Return the names of a class's attributes and methods."""
    if cls is None:
        return frozenset()
    own = cls.template.attrs if cls.template is not None else {}
    members = {name for link in cls.linear() if isinstance(link, Class) for name in link.members}
    return frozenset(own) | members


def _by_shape(obj: Obj, known: Iterable[Fact]) -> set[Kind]:
    """Kinds of sharded classes of the project that have every attribute used of an object."""
    used = {name for name in obj.attrs if not name.startswith("[")}
    return {fact.kind for fact in known if used and used <= fact.shape}
