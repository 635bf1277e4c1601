"""FSDP060: a policy with bf16/fp16 parameters and no reduce_dtype reduces gradients in low precision."""

from collections.abc import Iterator

from engines.review.flow.precision import LOW, POLICIES, read_policy
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP060",
    slug="implicit-low-precision-reduce",
    severity="warning",
    fix="reduce_dtype=torch.float32",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield policies that leave reduce_dtype to its default; one that states it is advice."""
    for event in flow.trace.calls(*POLICIES):
        policy = read_policy(event)
        if policy.param in LOW and policy.reduce == "":
            yield flow.hit(
                event, f"gradients are reduce-scattered in {policy.param}; the error grows with the world size"
            )
        elif policy.param in LOW and policy.reduce in LOW:
            yield flow.hit(event, f"gradients are reduced in {policy.reduce}", severity="advice")
