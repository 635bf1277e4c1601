"""FSDP013: a wrap policy or filter that matches no module.

Said where the model's class is known with all its parts, where the list was filled with other
classes before (checkpoint_wrapper, torch.compile), or where a size policy asks for more
parameters than the model, all of whose sizes are written down, has.
"""

from collections.abc import Iterator

from engines.review.flow.contents import class_names, parameter_count
from engines.review.flow.knowing import constant, objects, options, origins
from engines.review.flow.names import COMPILE, FULLY_SHARD
from engines.review.flow.sharding import Shard, base
from engines.review.flow.trace import Event
from engines.review.flow.values import Class, Const, Ext, Obj, Seq, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP013",
    slug="wrap-filter-matches-nothing",
    severity="warning",
    fix="Name the class of the model's blocks, and assert that something was wrapped.",
)

_CHANGES_CLASS = ("torch.distributed.algorithms._checkpoint.checkpoint_wrapper.checkpoint_wrapper", COMPILE)
DEFAULT_MIN_PARAMS = 100_000_000
"""Parameters that size_based_auto_wrap_policy asks of a unit where nothing is given."""


def check(flow: Flow) -> Iterator[Hit]:
    """Yield policies and filters for classes that the model has not, or no longer."""
    yield from _unknown_to_model(flow)
    yield from _changed_before(flow)
    yield from _filters(flow)
    yield from _too_small(flow)


def _changed_before(flow: Flow) -> Iterator[Hit]:
    """Yield filters on the elements of a list that was filled with wrappers before."""
    for event in flow.trace.calls(FULLY_SHARD):
        for obj in objects(event.arg(0, "module")):
            if obj.qual not in _CHANGES_CLASS or base(obj).op != "elem":
                continue
            if any(_asks_class(guard.test, base(obj)) for guard in event.guards):
                name = obj.qual.rpartition(".")[2]
                yield flow.hit(event, f"{name} has replaced the elements: the test fails, nothing is sharded here")


def _asks_class(test: Value, element: Obj) -> bool:
    """Tell whether a condition is on the class of this element; other objects may be tested around it."""
    asking = ("isinstance", "issubclass", "type")
    for source in origins(test, 60):
        made = source.made if isinstance(source, Obj) and source.qual in asking else None
        asked = made.args[:1] if made is not None else ()
        if any(origin is element for value in asked for origin in origins(value, 12)):
            return True
    return False


def _unknown_to_model(flow: Flow) -> Iterator[Hit]:
    """Yield wraps whose policy names only classes that the model, all of which is known, has not."""
    for shard in flow.sharding.shards:
        wanted = [_name(cls) for cls in _classes(shard)]
        if shard.kind != "fsdp1" or len(shard.targets) != 1 or not wanted or "" in wanted:
            continue
        known = class_names(flow.shapes, shard.targets[0])
        if known is not None and not known & set(wanted):
            model = shard.targets[0].cls
            name = model.node.name if model is not None else "the model"
            yield flow.hit(
                shard.event, f"{name} contains no {', '.join(wanted)}: the policy matches nothing but the root"
            )


def _filters(flow: Flow) -> Iterator[Hit]:
    """Yield sharding of what a walk yields, under a test for a class that the walked model has not."""
    for shard in flow.sharding.shards:
        for target in shard.targets if shard.kind == "fsdp2" else ():
            if target.op != "descendant" or target.parent is None:
                continue
            wanted = {name for guard in shard.event.guards for name in _tested(guard.test, target)}
            known = class_names(flow.shapes, target.parent) if wanted and "" not in wanted else None
            if known is not None and not known & wanted:
                yield flow.hit(
                    shard.event, f"no part of the model is a {', '.join(sorted(wanted))}: nothing is sharded here"
                )


def _tested(test: Value, target: Obj) -> Iterator[str]:
    """Yield the names of the classes for which a condition tests a module; "" for one that is not known."""
    for source in options(test):
        made = source.made if isinstance(source, Obj) else None
        if made is not None and made.qual == "isinstance" and len(made.args) == 2:
            classes = made.args[1].items if isinstance(made.args[1], Seq) else [made.args[1]]
            yield from (_name(item) for item in classes)
        elif isinstance(source, Obj) and source.op == "compare" and source.label in ("==", "is", "in"):
            asked, other = source.sources
            if not any(origin is target for origin in origins(asked, 12)):
                continue
            others = other.items if isinstance(other, Seq) else [other]
            yield from (str(o.value) if isinstance(o, Const) and isinstance(o.value, str) else _name(o) for o in others)


def _too_small(flow: Flow) -> Iterator[Hit]:
    """Yield wraps by size whose minimum is more than the whole model."""
    for shard in flow.sharding.shards:
        least = _minimum(shard.event) if shard.kind == "fsdp1" and len(shard.targets) == 1 else None
        total = parameter_count(flow.shapes, shard.targets[0]) if least is not None else None
        if least is not None and total is not None and total < least:
            yield flow.hit(
                shard.event, f"the policy asks for {least:,} parameters and the whole model has {total:,}: one unit"
            )


def _minimum(event: Event) -> int | None:
    """Return min_num_params of a size policy."""
    for option in options(event.kwargs.get("auto_wrap_policy")):
        if isinstance(option, Ext) and option.name.endswith("size_based_auto_wrap_policy"):
            return DEFAULT_MIN_PARAMS
        made = option.made if isinstance(option, Obj) else None
        if (
            made is None
            or not made.args
            or not getattr(made.args[0], "name", "").endswith("size_based_auto_wrap_policy")
        ):
            continue
        given = made.kwargs.get("min_num_params")
        number = constant(given)
        if given is None:
            return DEFAULT_MIN_PARAMS
        return int(number) if isinstance(number, int | float) else None
    return None


def _name(value: Value) -> str:
    if isinstance(value, Class):
        return value.node.name
    return value.name.rpartition(".")[2] if isinstance(value, Ext) else ""


def _classes(shard: Shard) -> list[Value]:
    found: list[Value] = []
    for option in options(shard.event.kwargs.get("auto_wrap_policy")):
        made = option.made if isinstance(option, Obj) else None
        if made is None:
            continue
        given = made.kwargs.get("transformer_layer_cls") or made.kwargs.get("module_classes")
        if given is None and made.qual.endswith("ModuleWrapPolicy") and made.args:
            given = made.args[0]
        if isinstance(given, Seq) and not given.more:
            found.extend(given.items)
    return found
