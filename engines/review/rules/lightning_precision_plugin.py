"""LT302: a precision plugin that is not FSDP's with FSDPStrategy."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.lightning import strategies, trainers, uses_fsdp
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="LT302",
    slug="lightning-precision-plugin",
    severity="error",
    fix='FSDPPrecision, or precision="bf16-mixed" on the Trainer',
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield strategies and trainers that are given another plugin."""
    for event in strategies(flow.trace):
        if _is_other(event.kwargs.get("precision_plugin")):
            place = event.keyword("precision_plugin") or event.node
            yield at(event.module, place, "FSDPStrategy takes FSDPPrecision alone: TypeError")
    for event in trainers(flow.trace):
        if uses_fsdp(event) and _is_other(event.kwargs.get("plugins")):
            place = event.keyword("plugins") or event.node
            yield at(event.module, place, "with FSDPStrategy the precision plugin has to be FSDPPrecision: TypeError")


def _is_other(value: Value | None) -> bool:
    return any(_names_precision(obj) for obj in objects(value))


def _names_precision(obj: Obj) -> bool:
    name = obj.qual.rpartition(".")[2]
    return obj.qual.startswith("lightning.") and name.endswith("Precision") and "FSDP" not in name
