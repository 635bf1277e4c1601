"""FSDP089: the first forward of a sharded model runs in inference mode, and training follows."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.sharding import base
from engines.review.flow.trace import Event
from engines.review.flow.training import backwards, forwards, without_grad
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP089",
    slug="inference-mode-before-training",
    severity="error",
    fix="torch.no_grad() for what runs before the first training step.",
    torch="<=2.13",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield forwards in inference mode before any training forward of the same model."""
    passes = list(forwards(flow.sharding))
    for event in passes:
        if not event.under("torch.inference_mode") or _trained_before(flow, passes, event):
            continue
        if any(flow.trace.before(event, b) for b in backwards(flow.trace)):
            yield flow.hit(event, "the gathered parameters become inference tensors, and training in place then fails")
            return


def _trained_before(flow: Flow, passes: list[Event], event: Event) -> bool:
    mine = {id(base(obj)) for obj in objects(event.callee)}
    for other in passes:
        same = any(id(base(obj)) in mine for obj in objects(other.callee))
        if other.run == event.run and other.seq < event.seq and same and not without_grad(other):
            return True
    return any(b.run == event.run and b.seq < event.seq for b in backwards(flow.trace))
