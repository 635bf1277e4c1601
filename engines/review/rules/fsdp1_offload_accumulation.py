"""FSDP085: FSDP1 with CPU offload accumulates gradients only inside no_sync."""

from collections.abc import Iterator

from engines.review.flow.accumulation import accumulations
from engines.review.flow.knowing import is_true, objects, options, origins
from engines.review.flow.optimizers import optimizers
from engines.review.flow.sharding import Shard, base
from engines.review.flow.trace import Event, compatible
from engines.review.flow.training import same_object, without_grad
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP085",
    slug="fsdp1-offload-accumulation",
    severity="error",
    fix="Accumulate inside model.no_sync(), or use FSDP2.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield offloading wraps where several micro-batches go into one step."""
    if flow.mentions("no_sync"):
        return
    for shard in flow.sharding.shards:
        if shard.kind != "fsdp1" or not _offloads(shard.event.kwargs.get("cpu_offload")):
            continue
        for step, back in accumulations(flow.trace):
            if compatible(shard.event, back) and _trains(flow, shard, step, back):
                message = f"gradients are offloaded after each micro-batch and overwritten (step at line {step.line})"
                hit = flow.hit(shard.event, message, argument="cpu_offload")
                yield hit.beside(back, "this backward pass overwrites what the one before it has offloaded")
                break


def _trains(flow: Flow, shard: Shard, step: Event, back: Event) -> bool:
    """Tell whether it is this module that the backward pass or the step is of; where neither tells, the only one."""
    called = {id(event.result): event for event in flow.trace.objects_called if not without_grad(event)}
    found = [obj for o in origins(back.receiver) if id(o) in called for obj in objects(called[id(o)].callee)]
    for event, owners in optimizers(flow.trace):
        found += owners if same_object(event.result, step.receiver) else []
    sharded = [obj for obj in found if flow.sharding.kinds(obj, back)]
    if sharded:
        return any(flow.sharding.concerns(target, obj) for target in shard.targets for obj in sharded)
    return len({id(base(target)) for other in flow.sharding.shards for target in other.targets}) == 1


def _offloads(value: Value | None) -> bool:
    for option in options(value):
        made = option.made if isinstance(option, Obj) and option.qual.endswith(".CPUOffload") else None
        if made is not None and is_true(made.arg(0, "offload_params")):
            return True
    return False
