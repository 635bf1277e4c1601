"""FSDP062: float16 parameters in training, and no gradient scaler anywhere."""

from collections.abc import Iterator

from engines.review.flow.precision import policies
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP062",
    slug="fp16-without-scaler",
    severity="error",
    fix="Use bfloat16, or ShardedGradScaler (FSDP1) / torch.amp.GradScaler (FSDP2).",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield float16 policies of models that are trained without a scaler."""
    if not any(True for _ in flow.trace.methods("backward")) or flow.mentions("GradScaler", "grad_scaler", "scaler"):
        return
    reported: set[int] = set()
    for shard in flow.sharding.shards:
        for policy in policies(shard):
            if policy.param == "float16" and id(policy.made) not in reported:
                reported.add(id(policy.made))
                yield flow.hit(
                    policy.made,
                    "parameters and gradients are float16 and the loss is not scaled: small gradients are lost",
                )
