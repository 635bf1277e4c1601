"""FSDP069: gradients are clipped while they are still scaled."""

from collections.abc import Iterator

from engines.review.flow.names import NN_CLIP
from engines.review.flow.trace import Event, compatible
from engines.review.flow.training import in_same_loop, names_scaler
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP069",
    slug="clip-before-unscale",
    severity="error",
    fix="scaler.unscale_(optimizer) before the clip.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield clips between a scaled backward and the scaler's step without unscale_ before them."""
    if not flow.shards_anything():
        return
    scaled = [e for e in flow.trace.methods("scale") if names_scaler(e.receiver)]
    stepped = [e for e in flow.trace.methods("step") if names_scaler(e.receiver) and e.args]
    unscaled = [e for e in flow.trace.methods("unscale_") if names_scaler(e.receiver)]
    for clip in (*flow.trace.calls(NN_CLIP), *flow.trace.methods("clip_grad_norm_")):
        before = [e for e in scaled if _near(flow, e, clip)]
        after = [e for e in stepped if _near(flow, clip, e)]
        if before and after and not any(_between(e, before[-1], clip) for e in unscaled):
            yield flow.hit(clip, "the gradients are still multiplied by the loss scale: they are clipped far too much")


def _near(flow: Flow, first: Event, second: Event) -> bool:
    same = in_same_loop(first, second) or (not first.loops and not second.loops)
    return same and first.run == second.run and flow.trace.before(first, second)


def _between(event: Event, first: Event, last: Event) -> bool:
    return compatible(event, last) and first.run == event.run and event.seq < last.seq and event.seq > first.seq
