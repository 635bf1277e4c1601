"""FSDP032: ignored_params are trained but nobody reduces their gradients."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, objects
from engines.review.flow.names import DDP, DISTRIBUTED, FSDP1, FULLY_SHARD
from engines.review.flow.optimizers import optimizers
from engines.review.flow.values import Alt, Const, Seq
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP032",
    slug="ignored-params-not-reduced",
    severity="warning",
    fix="Freeze them, all-reduce their gradients, and keep them in a parameter group of their own.",
    torch=">=2.7",
)

_REDUCES = (
    DDP,
    f"{DISTRIBUTED}.all_reduce",
    f"{DISTRIBUTED}.all_reduce_coalesced",
    f"{DISTRIBUTED}._composable.replicate",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield calls with ignored_params in code that trains and reduces nothing by hand."""
    if any(True for _ in flow.trace.calls(*_REDUCES)) or flow.mentions("requires_grad", "replicate"):
        return
    if not any(True for _ in flow.trace.methods("backward")) and not optimizers(flow.trace):
        return
    for event in flow.trace.calls(FULLY_SHARD, FSDP1):
        names = ("ignored_params",) if event.qual == FULLY_SHARD else ("ignored_states", "ignored_modules")
        ignored = next((event.kwargs[name] for name in names if name in event.kwargs), None)
        if event.qual == FSDP1 and (isinstance(ignored, Alt) or not objects(ignored)):
            continue
        empty = (isinstance(ignored, Const) and constant(ignored) is None) or (
            isinstance(ignored, Seq) and not ignored.items
        )
        if ignored is not None and not empty:
            yield flow.hit(
                event,
                "gradients of the ignored parameters differ between ranks, which drift apart",
                argument="ignored_params",
            )
            return
