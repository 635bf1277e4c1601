"""FSDP011: copy.deepcopy of a sharded model (EMA, target networks)."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP011",
    slug="deepcopy-after-shard",
    severity="error",
    fix="Copy before the wrap and shard both, or keep the average over state_dict() values.",
)

_COPIES = ("copy.deepcopy", "torch.optim.AveragedModel")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield copies of modules that are certainly sharded by then."""
    for event in flow.trace.calls(*_COPIES):
        for obj in objects(event.arg(0, "x")):
            if _sharded_before(flow, obj, event):
                yield flow.hit(event, f"{obj.label or 'the model'} is sharded and cannot be deep-copied")
                break


def _sharded_before(flow: Flow, obj: Obj, event: Event) -> bool:
    shards = [s.event for s in flow.sharding.shards if any(flow.sharding.concerns(t, obj) for t in s.targets)]
    return any(flow.trace.ordered(shard, event) and flow.trace.before(shard, event) for shard in shards)
