"""LT304: gradient_clip_val with FSDPStrategy, whose precision plugin refuses to clip by norm."""

import ast
from collections.abc import Iterator

from engines.review.flow.knowing import constant
from engines.review.flow.lightning import trainers, uses_fsdp
from engines.review.flow.trace import Event
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="LT304",
    slug="lightning-clip-by-norm",
    severity="error",
    fix="Override configure_gradient_clipping and call self.trainer.model.clip_grad_norm_.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield trainers that clip by norm under FSDP in files without an override."""
    if flow.mentions("configure_gradient_clipping"):
        return
    for event in trainers(flow.trace):
        value = event.kwargs.get("gradient_clip_val")
        algorithm = event.kwargs.get("gradient_clip_algorithm")
        if value is None or constant(value) in (0, 0.0) or (hasattr(value, "value") and constant(value) is None):
            continue
        if uses_fsdp(event) and (algorithm is None or constant(algorithm) == "norm"):
            yield at(event.module, _place(event), "Lightning's FSDP cannot clip by norm: MisconfigurationException")


def _place(event: Event) -> ast.AST:
    if isinstance(event.node, ast.Call):
        for keyword in event.node.keywords:
            if keyword.arg == "gradient_clip_val":
                return keyword
    return event.node
