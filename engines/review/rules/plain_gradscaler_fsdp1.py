"""FSDP063: torch.amp.GradScaler with FSDP1 decides on each rank alone whether to step.

With FSDP2 the plain scaler is right.
"""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, options
from engines.review.flow.names import GRAD_SCALER
from engines.review.flow.sharding import for_want_of_fsdp
from engines.review.flow.trace import compatible
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP063",
    slug="plain-gradscaler-fsdp1",
    severity="error",
    fix="from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield plain scalers in files that shard by FSDP1 alone."""
    kinds = {shard.kind for shard in flow.sharding.shards}
    kinds |= {fact.kind for module in flow.modules for fact in flow.sharding.facts.get(module.path, ())}
    if kinds != {"fsdp1"} or flow.mentions("NO_SHARD", "ShardedGradScaler"):
        return
    stepped = [step.receiver for step in flow.trace.methods("step") if step.args]
    for event in flow.trace.calls(GRAD_SCALER):
        if not any(event.result is option for receiver in stepped for option in options(receiver)):
            continue
        wraps = [shard.event for shard in flow.sharding.shards]
        if for_want_of_fsdp(event) or (wraps and not any(compatible(wrap, event) for wrap in wraps)):
            continue
        if constant(event.kwargs.get("enabled")) is not False:
            yield flow.hit(event, "found_inf is not reduced over FSDP1's shards: one rank steps while another skips")
