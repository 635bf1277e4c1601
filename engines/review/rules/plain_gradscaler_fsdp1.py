"""FSDP063: torch.amp.GradScaler with FSDP1 decides on each rank alone whether to step.

With FSDP2 the plain scaler is right.
"""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, options
from engines.review.flow.names import GRAD_SCALER
from engines.review.flow.optimizers import parameter_owners
from engines.review.flow.sharding import for_want_of_fsdp
from engines.review.flow.trace import Event, compatible
from engines.review.flow.values import Obj
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
    for event in flow.trace.calls(GRAD_SCALER):
        wraps = [shard.event for shard in flow.sharding.shards]
        if for_want_of_fsdp(event) or (wraps and not any(compatible(wrap, event) for wrap in wraps)):
            continue
        if constant(event.kwargs.get("enabled")) is not False and _steps_fsdp1(flow, event):
            yield flow.hit(event, "found_inf is not reduced over FSDP1's shards: one rank steps while another skips")


def _steps_fsdp1(flow: Flow, scaler: Event) -> bool:
    """Tell whether a scaler steps an optimizer of an FSDP1 model, or an unknown one in a file that wraps."""
    for step in flow.trace.methods("step"):
        if not step.args or not any(option is scaler.result for option in options(step.receiver)):
            continue
        owners = [o for made in options(step.args[0]) if isinstance(made, Obj) and made.made is not None
                  for o in parameter_owners(made.made.arg(0, "params"))]  # fmt: skip
        if any(flow.sharding.kinds(owner, step) == {"fsdp1"} for owner in owners):
            return True
        if not owners and flow.sharding.facts.get(scaler.module.path):
            return True
    return False
