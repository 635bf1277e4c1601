"""Attributes, subscripts and elements of abstract values."""

from __future__ import annotations

from engines.review.flow.core import Core
from engines.review.flow.knowing import join
from engines.review.flow.names import MODULE_BASES, canonical
from engines.review.flow.ranks import by_name, of_attribute, of_environment
from engines.review.flow.values import UNKNOWN, Alt, Class, Const, Ext, Function, Map, ModuleRef, Obj, Seq, Value

CONTAINERS = ("torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.Sequential")
"""Modules whose elements are modules."""
MAX_ITEMS_JOINED = 4
"""Items of a literal that are told apart when it is iterated as one."""


class Attributes(Core):
    """Reading and writing parts of values."""

    def get_attr(self, value: Value, name: str) -> Value:
        """Read an attribute; unknown ones of an object get an identity of their own."""
        if isinstance(value, Obj):
            return self._of_object(value, name)
        if isinstance(value, Ext):
            return external(f"{value.raw}.{name}")
        if isinstance(value, ModuleRef):
            return self._of_module(value, name)
        if isinstance(value, Class):
            return self._of_class(value, name)
        if isinstance(value, Alt):
            return join(*(self.get_attr(option, name) for option in value.options))
        return self.derived("." + name, value) if value.sources else UNKNOWN

    def _of_class(self, cls: Class, name: str) -> Value:
        """Read a member of a class itself; a class method knows its class."""
        member = cls.member(name)
        if name == "__name__":
            return Const(cls.node.name)
        if isinstance(member, Function) and any(
            item.name == "classmethod" for item in self.decorations.get(member.key, ())
        ):
            return Function(member.node, member.module, member.scope, member.owner, cls)
        return member or UNKNOWN

    def _of_module(self, value: ModuleRef, name: str) -> Value:
        self.exec_module(value.module)
        found = value.module.scope.vars.get(name)
        if found is not None:
            return found
        sub = self.project.resolve(name, value.module, 1)
        return ModuleRef(sub) if sub is not None else UNKNOWN

    def _of_object(self, obj: Obj, name: str) -> Value:
        if obj is UNKNOWN:
            return Obj("attr", name, rank=by_name(name)) if by_name(name) else UNKNOWN
        known = self.known_attr(obj, name)
        if known is not None:
            return known
        child = Obj("attr", f"{obj.label}.{name}", parent=obj, rank=of_attribute(obj, name), symbolic=obj.symbolic)
        obj.attrs[name] = child
        return child

    def known_attr(self, obj: Obj, name: str) -> Value | None:
        """Return an attribute that was written, that the class defines, or that a wrapped object has."""
        found = obj.attrs.get(name)
        if found is not None:
            return found
        if obj.cls is not None:
            member = obj.cls.member(name)
            if member is not None:
                return self._member(obj, member)
            if obj.op != "new":
                return self._from_template(obj, obj.cls, name)
        if isinstance(obj.inner, Obj):
            if name in ("module", "_orig_mod"):
                return obj.inner
            return self.known_attr(obj.inner, name) or self._wrapped(obj.inner, name)
        return None

    def _wrapped(self, inner: Obj, name: str) -> Value | None:
        """A wrapper passes on attributes of the module inside, so that both show the same child."""
        if inner.op == "new" and name not in inner.attrs:
            return None
        return None if inner.cls is None and name.startswith("_") else self._of_object(inner, name)

    def _member(self, obj: Obj, member: Value) -> Value:
        if isinstance(member, Obj) and member.qual == "property" and member.made is not None and member.made.args:
            getter = member.made.args[0]
            return self.call(getter, (obj,), {}, member.made.node) if isinstance(getter, Function) else member
        if not isinstance(member, Function):
            return member
        decorations = {item.name for item in self.decorations.get(member.key, ())}
        if "staticmethod" in decorations:
            return member
        receiver: Value = obj.cls if "classmethod" in decorations and obj.cls is not None else obj
        bound = Function(member.node, member.module, member.scope, member.owner, receiver)
        if "cached_property" in decorations:
            kept = self.inline(bound, (), {}, member.node)
            obj.attrs[member.name] = kept
            return kept
        if "property" in decorations:
            return self.inline(bound, (), {}, member.node)
        return bound

    def _from_template(self, obj: Obj, cls: Class, name: str) -> Value | None:
        """Give an object that is only known by its class the attributes that `__init__` sets."""
        model = self.template(cls).attrs.get(name)
        if not isinstance(model, Obj) or model is UNKNOWN:
            return model
        child = Obj(
            "attr",
            f"{obj.label}.{name}",
            sources=model.sources,
            node=model.node,
            parent=obj,
            cls=model.cls,
            made=model.made,
            inner=model.inner,
            rank=model.rank or of_attribute(obj, name),
            symbolic=obj.symbolic,
        )
        obj.attrs[name] = child
        return child

    def set_attr(self, obj: Obj, name: str, value: Value) -> None:
        """Write an attribute; a module that is put into a module becomes its child."""
        if obj is UNKNOWN:
            return
        if self.heap is not None:
            self.heap.setdefault((id(obj), name), (obj, name, obj.attrs.get(name)))
        obj.attrs[name] = value
        if isinstance(value, Obj) and value.op == "call":
            value.names.add(("", name))
        if isinstance(value, Obj) and value.parent is None and value is not UNKNOWN and value is not obj:
            if is_module(obj) and value.op in ("new", "call", "param"):
                value.parent = obj
            if not value.label or value.op == "call":
                value.label = f"{obj.label}.{name}"

    def get_item(self, value: Value, key: Value) -> Value:
        """Read a subscript."""
        if isinstance(value, Alt):
            return join(*(self.get_item(option, key) for option in value.options))
        if isinstance(value, Ext) and value.name == "os.environ":
            return environment(key)
        if isinstance(value, Ext) and isinstance(key, Const) and isinstance(key.value, str):
            return external(f"{value.raw}.{key.value}")  # a member of an enumeration
        if isinstance(value, Ext) and isinstance(key, Const) and str(key.value).isidentifier():
            return self.get_attr(value, str(key.value))  # a member of an enumeration by its name
        if isinstance(value, Map) and isinstance(key, Const) and _hashable(key.value) in value.items:
            return value.items[_hashable(key.value)]
        if isinstance(value, Map) and (value.rest is not None or (value.items and not value.more)):
            return join(*(value.values() if not isinstance(key, Const) else (value.rest,)))
        if isinstance(value, Seq):
            return _at(value, key)
        if not isinstance(value, Obj) or value is UNKNOWN:
            return self.derived("[]", value, key) if value.sources else UNKNOWN
        return self._item_of_object(value, key)

    def _item_of_object(self, obj: Obj, key: Value) -> Value:
        label = _key_label(key)
        by_number = not label or label.lstrip("-").isdigit()
        if by_number and (obj.qual in CONTAINERS or "[*]" in obj.attrs or is_sequence(obj)):
            return self.element(obj)
        if not label:
            return self.derived("[]", obj, key)
        name = f"[{label}]"
        found = obj.attrs.get(name)
        if found is None:
            found = Obj("item", obj.label + name, parent=obj, sources=(obj, key), symbolic=obj.symbolic)
            obj.attrs[name] = found
        return found

    def element(self, value: Value) -> Value:
        """Return what iterating over a value yields, as one value for all elements."""
        if isinstance(value, Alt):
            return join(*(self.element(option) for option in value.options))
        if isinstance(value, Seq):
            return join(*value.items[:MAX_ITEMS_JOINED]) if value.items else UNKNOWN
        if isinstance(value, Map) and (value.key is not None or value.items):
            return join(*(Const(name) for name in list(value.items)[:MAX_ITEMS_JOINED]), value.key)
        if not isinstance(value, Obj) or value is UNKNOWN:
            return UNKNOWN
        found = value.attrs.get("[*]")
        if found is not None:
            return found
        if value.op == "expr" and value.label == "slice":
            return self.element(value.sources[0])
        if value.op == "expr" and value.label == "+":
            return join(*(self.element(source) for source in value.sources[:2] if not isinstance(source, Const)))
        child = self._element_of(value)
        value.attrs["[*]"] = child
        return child

    def _element_of(self, obj: Obj) -> Value:
        child = Obj("elem", f"{obj.label}[*]", parent=obj, sources=(obj,) if obj.sources else (), symbolic=obj.symbolic)
        if obj.qual in CONTAINERS and obj.made is not None and obj.made.args:
            model = self.element(obj.made.args[0])
            if isinstance(model, Obj):
                child.cls, child.made, child.inner = model.cls, model.made, model.inner
        return child


def external(raw: str) -> Value:
    """Return the value of an outside name; `os.environ` style look-ups are values of their own."""
    return Ext(canonical(raw), raw)


def environment(key: Value) -> Value:
    """Return the value of an environment variable."""
    name = key.value if isinstance(key, Const) and isinstance(key.value, str) else "?"
    return Obj("env", name, rank=of_environment(name))


def is_module(obj: Obj) -> bool:
    """Tell whether an object is known to be an nn.Module, by its class or as a bare parameter's part."""
    if obj.cls is not None:
        return is_module_class(obj.cls)
    return obj.qual.startswith("torch.nn.")


def is_module_class(cls: Class) -> bool:
    """Tell whether a class derives from nn.Module, as far as its bases can be seen."""
    for base in cls.linear():
        if isinstance(base, Ext) and (base.name in MODULE_BASES or base.name.endswith(("Module", "PreTrainedModel"))):
            return True
    return False


def is_sequence(obj: Obj) -> bool:
    """Tell whether a name says that an object holds a list of layers."""
    return obj.label.rpartition(".")[2] in ("layers", "blocks", "h", "layer", "block", "modules", "experts")


def _hashable(value: object) -> object:
    return value if isinstance(value, str | int | float | bool | bytes | type(None)) else repr(value)


def _at(value: Seq, key: Value) -> Value:
    if isinstance(key, Const) and isinstance(key.value, int) and not value.more:
        return value.items[key.value] if -len(value.items) <= key.value < len(value.items) else UNKNOWN
    return join(*value.items[:MAX_ITEMS_JOINED]) if value.items else UNKNOWN


def _key_label(key: Value) -> str:
    if isinstance(key, Const):
        return str(key.value) if isinstance(key.value, int) else repr(key.value)
    if isinstance(key, Seq) and key.items and all(isinstance(item, Const) for item in key.items):
        return ", ".join(_key_label(item) for item in key.items)
    return ""
