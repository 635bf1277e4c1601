"""FSDP013: a wrap policy for a class that the model does not contain: only the root is wrapped."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects, options, qual_in_guards
from engines.review.flow.names import COMPILE, FULLY_SHARD
from engines.review.flow.sharding import Shard, base
from engines.review.flow.values import Class, Obj, Seq, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP013",
    slug="wrap-filter-matches-nothing",
    severity="warning",
    fix="Name the class of the model's blocks, and assert that something was wrapped.",
)

_CHANGES_CLASS = ("torch.distributed.algorithms._checkpoint.checkpoint_wrapper.checkpoint_wrapper", COMPILE)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield policies and filters for classes that the model has not, or no longer."""
    yield from _unknown_to_model(flow)
    yield from _changed_before(flow)


def _changed_before(flow: Flow) -> Iterator[Hit]:
    """Yield filters on the elements of a list that was filled with wrappers before."""
    for event in flow.trace.calls(FULLY_SHARD):
        for obj in objects(event.arg(0, "module")):
            if obj.qual not in _CHANGES_CLASS or base(obj).op != "elem":
                continue
            if qual_in_guards(event, "isinstance"):
                name = obj.qual.rpartition(".")[2]
                yield flow.hit(event, f"{name} has replaced the elements: isinstance fails, nothing is sharded here")


def _unknown_to_model(flow: Flow) -> Iterator[Hit]:
    """Yield wraps whose policy names only classes that the model, all of which is known, has not."""
    for shard in flow.sharding.shards:
        if shard.kind != "fsdp1" or len(shard.targets) != 1:
            continue
        wanted = [cls for cls in _classes(shard) if isinstance(cls, Class)]
        model = shard.targets[0].cls
        if not wanted or model is None or len(wanted) != len(_classes(shard)):
            continue
        parts = [part for _, part in flow.shapes.parts(shard.targets[0])]
        if any(
            part.op in ("param", "call") and part.cls is None and not part.qual.startswith("torch.") for part in parts
        ):
            continue
        if not any(part.cls is not None and cls in list(part.cls.linear()) for part in parts for cls in wanted):
            names = ", ".join(cls.node.name for cls in wanted)
            yield flow.hit(
                shard.event, f"{model.node.name} contains no {names}: the policy matches nothing but the root"
            )


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
