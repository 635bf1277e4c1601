"""Accumulated vs fresh grad dtype.

FSDP2 accumulation without reduction: kept gradients are fp32, a gradient first produced in the last micro-
step is still bf16, in one group.
"""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="accumulated-vs-fresh-grad-dtype",
    card="accumulated-vs-fresh-grad-dtype",
    signs=(
        Sign(
            6.0,
            r"reduce-scatter expects uniform gradient dtype",
        ),
        Sign(
            3.0,
            r"last micro-?(?:batch|step)~(?:only|first)|(?:only|first)~last micro-?(?:batch|step)",
            r"dtype|bf16|bfloat16|fp32|float32",
            r"accumul|set_requires_gradient_sync",
        ),
    ),
    cost="a reduction in each micro-batch, or a forward through an unused part",
    confirm="a step in which every parameter gets a gradient in each micro-batch passes",
)
