"""FSDP019: an exact test of a class that fully_shard has swapped for a subclass."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, objects, options
from engines.review.flow.sharding import base, within
from engines.review.flow.values import Class, Const, Ext, Obj, Seq, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP019",
    slug="exact-type-check-after-shard",
    severity="warning",
    fix="isinstance(module, Block), which still holds.",
)


_LEAVES = ("Linear", "Dropout", "LayerNorm", "RMSNorm", "Embedding", "Conv1d", "Conv2d", "BatchNorm2d", "GroupNorm")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield comparisons of the class of modules that are sharded by then."""
    if flow.mentions("FSDPModule"):
        return
    shards = [shard for shard in flow.sharding.shards if shard.kind == "fsdp2"]
    for event in flow.trace.kind("compare"):
        if any(_of_torch(value) for value in event.args) or not any(_is_named(value) for value in event.args):
            continue
        for value in event.args:
            for obj in _classes_of(value):
                sharded = [s for s in shards if any(_is_or_holds(base(obj), target) for target in s.targets)]
                if any(
                    flow.trace.before(s.event, event) and not _same_round(s.event.loops, event.loops) for s in sharded
                ):
                    yield flow.hit(event, f"{obj.label} is an FSDP subclass by now: the exact test fails")


def _of_torch(value: Value) -> bool:
    """Tell whether a class is asked for that is torch's own and hardly ever a unit."""
    name = constant(value) if isinstance(value, Const) else getattr(value, "name", "")
    return isinstance(name, str) and name.rpartition(".")[2] in _LEAVES


def _is_named(value: Value) -> bool:
    """Tell whether a value is a class, a name of one, or a collection of names that is written down."""
    if isinstance(value, Seq):
        return bool(value.items) and not value.more
    return isinstance(value, Class | Ext) or isinstance(constant(value), str) or _is_parameter(value)


def _is_parameter(value: Value) -> bool:
    """A class that is handed in: `type(m) is block_class`."""
    return isinstance(value, Obj) and value.op in ("param", "attr") and not value.label.endswith(("__", "modules"))


def _is_or_holds(asked: Obj, target: Obj) -> bool:
    """A walk over a module yields its sharded parts, among others."""
    if asked.op == "descendant" and asked.parent is not None and target.op in ("elem", "descendant"):
        return target is asked or within(target, asked.parent)
    return target is asked


def _same_round(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    return bool(first) and bool(second) and first[-1] is second[-1]


def _classes_of(value: Value) -> Iterator[Obj]:
    """Yield x of type(x), x.__class__ and their __name__."""
    for option in options(value):
        if not isinstance(option, Obj):
            continue
        if option.op == "attr" and option.label.endswith((".__class__", ".__name__")) and option.parent is not None:
            if option.label.endswith(".__class__"):
                yield option.parent
            else:
                yield from _classes_of(option.parent)
        elif option.qual == "type" and option.made is not None and len(option.made.args) == 1:
            yield from objects(option.made.args[0])
