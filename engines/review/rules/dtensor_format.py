"""FSDP070: a gradient norm is formatted while it is a DTensor, which has no __format__."""

from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.names import NN_CLIP
from engines.review.flow.optimizers import parameter_owners
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP070",
    slug="dtensor-format",
    severity="error",
    fix="gnorm = gnorm.full_tensor() on all ranks, or gnorm.item().",
    torch=">=2.4",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield format specifications on the result of clip_grad_norm_ over FSDP2 parameters."""
    for event in flow.trace.kind("format"):
        if any(_is_norm(flow, value, event) for value in event.args):
            yield flow.hit(event, "the norm is a DTensor: formatting it raises TypeError")


def _is_norm(flow: Flow, value: Value, event: Event) -> bool:
    for option in options(value):
        made = option.made if isinstance(option, Obj) and option.op == "call" else None
        if made is None or made.qual != NN_CLIP:
            return False
        owners = parameter_owners(made.arg(0, "parameters"))
        if not any(flow.sharding.kinds(owner, event) == {"fsdp2"} for owner in owners):
            return False
    return bool(options(value))
