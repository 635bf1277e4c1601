"""FSDP067: torch.nn.utils.clip_grad_norm_ on FSDP1's shards takes the norm of this rank's part.

Silent under a test of type or strategy.
"""

from collections.abc import Iterator

from engines.review.flow.names import NN_CLIP
from engines.review.flow.optimizers import parameter_owners
from engines.review.flow.training import type_tested
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP067",
    slug="nn-clip-on-fsdp1",
    severity="error",
    fix="model.clip_grad_norm_(max_norm), on the outermost FSDP module.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield clips of FSDP1 models by the plain function."""
    if flow.mentions("NO_SHARD"):
        return
    for event in flow.trace.calls(NN_CLIP):
        owners = parameter_owners(event.arg(0, "parameters"))
        for owner in owners:
            if flow.sharding.kinds(owner, event) == {"fsdp1"} and not type_tested(event):
                yield flow.hit(
                    event,
                    f"{owner.label or 'the model'} is sharded by FSDP1: each rank clips by its own norm",
                )
                break
