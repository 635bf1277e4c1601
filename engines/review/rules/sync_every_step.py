"""FSDP095: the host waits for the GPU in every step, which exposes the all-gathers."""

from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.training import backwards, forwards, in_same_loop, loop_of, made_from
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(id="FSDP095", slug="sync-every-step", severity="advice", fix="Read the value every N steps only.")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the first unconditional .item() of a model's output in each training loop."""
    results = {id(o) for event in forwards(flow.sharding) for o in options(event.result)}
    back = list(backwards(flow.trace))
    seen: set[int] = set()
    for event in flow.trace.methods("item"):
        loop = loop_of(event)
        if loop is None or id(loop) in seen or event.guards:
            continue
        near = any(in_same_loop(event, b) and loop_of(b) is loop for b in back)
        if near and made_from(event.receiver, lambda obj: id(obj) in results) is not None:
            seen.add(id(loop))
            yield flow.hit(event, "the host waits for the GPU here in every step")
