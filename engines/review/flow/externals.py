"""External callables: what a call of something outside the project returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.review.flow.attributes import environment
from engines.review.flow.iterations import SAME_ELEMENTS, Iterations
from engines.review.flow.knowing import objects
from engines.review.flow.names import COMPILE, DDP, DISTRIBUTED, FSDP1, FULLY_SHARD
from engines.review.flow.ranks import inherited, of_call
from engines.review.flow.trace import Event
from engines.review.flow.values import UNKNOWN, Alt, Class, Const, Ext, Function, Map, Obj, Seq, Value

WRAPPERS = {
    FSDP1: "module",
    DDP: "module",
    COMPILE: "model",
    "peft.get_peft_model": "model",
    "peft.PeftModel.from_pretrained": "model",
    "peft.prepare_model_for_kbit_training": "model",
    "torch.nn.DataParallel": "module",
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm": "module",
    "torch.distributed.algorithms._checkpoint.checkpoint_wrapper.checkpoint_wrapper": "module",
    "torch.distributed._composable.replicate.replicate": "module",
}
"""Callables that return their first argument in another form, with that argument's name."""

IN_PLACE = {
    FULLY_SHARD: "module",
    "torch.distributed.tensor.parallel.parallelize_module": "module",
    "torch.distributed._composable.replicate": "module",
    "torch.nn.init.normal_": "tensor",
}
"""Callables that change their first argument and return it."""

ANY_NAME = "<any>"
"""Attribute of a library that is chosen at run time."""

_UNIFYING = tuple(
    f"{DISTRIBUTED}.{name}"
    for name in ("all_reduce", "broadcast", "broadcast_object_list", "all_gather", "all_gather_object",
                 "all_gather_into_tensor", "monitored_barrier")
)  # fmt: skip
"""Collectives after which an argument is the same on all ranks."""


class Externals(Iterations):
    """Results of calls that are not followed."""

    def external_result(self, callee: Ext, event: Event) -> Value:
        """Return the value of an external call; the event holds its arguments."""
        handler = _HANDLERS.get(callee.name)
        if handler is not None:
            found = handler(self, event)
            if found is not None:
                return found
        if callee.name in SAME_ELEMENTS and event.args:
            return self.same_elements(callee.name, event)
        if callee.name in WRAPPERS:
            return self._wrapper(event, event.arg(0, WRAPPERS[callee.name]))
        if callee.name in IN_PLACE:
            return self._in_place(event.arg(0, IN_PLACE[callee.name]))
        if callee.name in _UNIFYING:
            _unify(event)
        if callee.name.rpartition(".")[2] == "spawn" and event.args:
            self._spawn(event)
        rank = of_call(callee.name, event.args, event.kwargs)
        return Obj("call", sources=(*event.args, *event.kwargs.values()), node=event.node, made=event, rank=rank)

    def _in_place(self, target: Value | None) -> Value:
        """What is sharded is a module: a call of the attribute is a forward pass, not a method's."""
        for obj in objects(target):
            if obj.op == "attr":
                obj.names.add(("", obj.label.rpartition(".")[2]))
        return target or UNKNOWN

    def _wrapper(self, event: Event, inner: Value | None) -> Value:
        target = inner
        if isinstance(inner, Alt):
            target = next((option for option in inner.options if isinstance(option, Obj)), inner)
        label = target.label if isinstance(target, Obj) else ""
        made = Obj("call", label, sources=(target,) if target else (), node=event.node, made=event, inner=target)
        if isinstance(target, Obj):
            made.cls = target.cls
        return made

    def _spawn(self, event: Event) -> None:
        """`mp.spawn(main, args)` calls main(rank, *args)."""
        target = event.args[0]
        given = event.arg(1, "args")
        if isinstance(target, Function):
            rank = Obj("param", "rank", rank="global", symbolic=True)
            self.inline(target, (rank, *(given.items if isinstance(given, Seq) else ())), {}, event.node)

    def _partial(self, event: Event) -> Value | None:
        if not event.args:
            return None
        return Obj("partial", sources=event.args, node=event.node, made=event)

    def _wrap(self, event: Event) -> Value | None:
        """wrap(module) inside enable_wrap(wrapper_cls=FSDP, ...) is FSDP(module, ...); elsewhere it does nothing."""
        made = [
            option.made
            for context in self.withs
            for option in objects(context)
            if option.qual == "torch.distributed.fsdp.wrap.enable_wrap" and option.made is not None
        ]
        wrapper = made[-1].kwargs.get("wrapper_cls") if made else None
        if not isinstance(wrapper, Ext) or wrapper.name != FSDP1:
            return event.arg(0, "module")
        event.qual = FSDP1
        event.kwargs = {**{k: v for k, v in made[-1].kwargs.items() if k != "wrapper_cls"}, **event.kwargs}
        return self._wrapper(event, event.arg(0, "module"))

    def _environ(self, event: Event) -> Value | None:
        return environment(event.args[0]) if event.args else None

    def _checkpointed(self, event: Event) -> Value | None:
        """apply_activation_checkpointing(model, check_fn=f) calls f on every module."""
        asked, model = event.arg(2, "check_fn"), event.arg(0, "model")
        if isinstance(asked, Function) and isinstance(model, Obj):
            self.call(asked, (self.descendant(model),), {}, event.node)
        return None

    def _recomputed(self, event: Event) -> Value | None:
        """checkpoint(f, *args) calls f(*args); further keywords are checkpoint's own."""
        callee = event.args[0] if event.args else None
        if not isinstance(callee, Obj | Function):
            return None
        return self.call(callee, event.args[1:], {}, event.node)

    def _new_dict(self, event: Event) -> Value | None:
        items: dict[object, Value] = dict(event.kwargs.items())
        more = "**" in items
        items.pop("**", None)
        if event.args and isinstance(event.args[0], Map):
            items = {**event.args[0].items, **items}
            more = more or event.args[0].more
        elif event.args:
            more = True
        made = Map(items, more, node=event.node)
        pair = self.element(event.args[0]) if event.args and more else None
        if isinstance(pair, Seq) and len(pair.items) == 2:
            made.key, made.rest = pair.items
        made.sources += event.args
        return made

    def _getattr(self, event: Event) -> Value | None:
        if len(event.args) < 2:
            return None
        if not isinstance(event.args[1], Const) or not isinstance(event.args[1].value, str):
            return self.get_attr(event.args[0], ANY_NAME) if isinstance(event.args[0], Ext) else None
        return self.get_attr(event.args[0], event.args[1].value)

    def _setattr(self, event: Event) -> Value | None:
        if len(event.args) == 3 and isinstance(event.args[0], Obj):
            name = event.args[1]
            if isinstance(name, Const) and isinstance(name.value, str):
                self.set_attr(event.args[0], name.value, event.args[2])
        return None

    def _super(self, _event: Event) -> Value | None:
        frame = self.frame
        if frame.function is None or frame.function.owner is None or not isinstance(frame.receiver, Obj):
            return None
        made = Obj("expr", "super", sources=(frame.receiver,))
        for base in reversed(frame.function.owner.bases):
            if isinstance(base, Class):
                for cls in reversed(list(base.linear())):
                    for name, member in cls.members.items() if isinstance(cls, Class) else ():
                        if isinstance(member, Function):
                            made.attrs[name] = Function(
                                member.node, member.module, member.scope, member.owner, frame.receiver
                            )
        return made

    def _scalar(self, event: Event) -> Value | None:
        """int(x), bool(x), str(x): the value in another form."""
        if not event.args:
            return None
        if isinstance(event.args[0], Const) and isinstance(event.args[0].value, int | float | bool):
            return event.args[0]
        return Obj("call", sources=event.args, node=event.node, made=event, rank=inherited(event.args))

    def _field(self, event: Event) -> Value | None:
        """field(default=x) or field(default_factory=f): what an instance has for want of another value."""
        factory = event.kwargs.get("default_factory")
        return event.kwargs.get("default") if factory is None else self.call(factory, (), {}, event.node)

    def _device(self, event: Event) -> Value | None:
        return Obj("call", sources=(*event.args, *event.kwargs.values()), node=event.node, made=event)


def _unify(event: Event) -> None:
    for argument in (*event.args, *event.kwargs.values()):
        for obj in objects(argument):
            obj.uniform = True
            for source in obj.sources:
                if isinstance(source, Obj) and source.op in ("call", "expr"):
                    source.uniform = True
        if isinstance(argument, Seq):
            for index, item in enumerate(argument.items):
                if not isinstance(item, Obj):
                    continue
                fresh = Obj("expr", "broadcast")
                fresh.uniform = True
                argument.items[index] = fresh


_HANDLERS: dict[str, Callable[[Any, Event], Value | None]] = {
    "functools.partial": Externals._partial,
    "torch.distributed.fsdp.wrap.wrap": Externals._wrap,
    "os.getenv": Externals._environ,
    "os.environ.get": Externals._environ,
    "os.environ.setdefault": Externals._environ,
    "enumerate": Externals.of_enumerate,
    "map": Externals.of_map,
    "filter": Externals.of_filter,
    "torch.distributed.algorithms._checkpoint.checkpoint_wrapper.apply_activation_checkpointing": (
        Externals._checkpointed
    ),
    "torch.utils.checkpoint.checkpoint": Externals._recomputed,
    "zip": Externals.of_zip,
    "next": Externals.of_next,
    "dict": Externals._new_dict,
    "getattr": Externals._getattr,
    "setattr": Externals._setattr,
    "super": Externals._super,
    "int": Externals._scalar,
    "bool": Externals._scalar,
    "str": Externals._scalar,
    "torch.device": Externals._device,
    "dataclasses.field": Externals._field,
    "pydantic.Field": Externals._field,
    "attrs.field": Externals._field,
}
