"""FSDP084: no_sync() on an FSDP2 model, which has none, or on an inner FSDP1 unit."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.sharding import base, chain
from engines.review.flow.trace import Event
from engines.review.flow.training import type_tested
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP084",
    slug="no-sync-wrong-place",
    severity="error",
    fix="FSDP1: no_sync() of the root. FSDP2: set_requires_gradient_sync(False).",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield no_sync calls on the wrong receiver."""
    for event in flow.trace.methods("no_sync"):
        if type_tested(event):
            continue
        kinds = flow.sharding.kinds(event.receiver, event)
        if kinds == {"fsdp2"}:
            yield flow.hit(event, "a module that fully_shard sharded has no no_sync()")
        elif kinds == {"fsdp1"} and _is_inner(flow, event):
            yield flow.hit(event, "no_sync() works on the root FSDP module alone")


def _is_inner(flow: Flow, event: Event) -> bool:
    """Tell whether the receiver is a part of a module that is wrapped as a whole."""
    wrapped = [target for shard in flow.sharding.shards for target in shard.targets]
    for obj in objects(event.receiver):
        links = [link for link in chain(obj) if link is not base(obj)]
        if any(target is link for target in wrapped for link in links) or _inner_by_name(flow, obj):
            return True
    return False


def _inner_by_name(flow: Flow, part: Obj) -> bool:
    """Tell whether `model.backbone` is asked for where a `backbone` is wrapped first, and then what `model` names.

    The functions that wrap and that train need not be called by code that was read.
    """
    links = list(chain(part))
    if len(links) != 2 or links[1].op != "param":
        return False
    name, whole = part.label.rpartition(".")[2], links[1].label
    named = [
        ({known for target in shard.targets for _, known in target.names}, _names(shard.event.result))
        for shard in flow.sharding.shards
        if shard.kind == "fsdp1"
    ]
    return any(name in inner for inner, _ in named) and any(
        whole in outer and name not in inner for inner, outer in named
    )


def _names(value: Value | None) -> set[str]:
    return {name for obj in objects(value) for _, name in obj.names}
