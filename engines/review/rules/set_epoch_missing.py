"""FSDP093: a shuffling DistributedSampler in a loop over epochs, and nobody calls set_epoch."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, origins
from engines.review.flow.trace import Event
from engines.review.flow.training import backwards
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP093",
    slug="set-epoch-missing",
    severity="warning",
    fix="sampler.set_epoch(epoch) at the start of each epoch.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield samplers whose loader is iterated inside another loop."""
    if flow.mentions("set_epoch"):
        return
    for event in flow.trace.calls("torch.utils.data.distributed.DistributedSampler"):
        if constant(event.arg(3, "shuffle")) is False or "**" in event.kwargs:
            continue
        if any(_iterated_again(flow, event, b) for b in backwards(flow.trace)):
            yield flow.hit(event, "without set_epoch every epoch has the same order")


def _iterated_again(flow: Flow, sampler: Event, back: Event) -> bool:
    for outer, loop in zip(back.loops, back.loops[1:], strict=False):
        for iterated in flow.trace.iterated.get(id(loop), ()):
            if outer is not loop and any(source is sampler.result for source in origins(iterated, 60)):
                return True
    return False
