"""HF214: model and optimizer are prepared in different calls, which FSDP2 refuses."""

import re
from collections.abc import Iterator

from engines.review.arguments import documents
from engines.review.flow.attributes import is_module_class
from engines.review.flow.knowing import objects, options
from engines.review.flow.optimizers import is_optimizer
from engines.review.flow.trace import Event
from engines.review.flow.training import names_optimizer
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="HF214",
    slug="fsdp2-prepare-separately",
    severity="error",
    fix="accelerator.prepare(model, optimizer, ...) in one call",
    card="accelerate-optimizer-swap",
)

_NAMED = re.compile(r"(^|[._])(model|net|network|module|student|teacher|actor|critic|unet|vae)$")
"""Names of variables that hold modules."""


def check(flow: Flow) -> Iterator[Hit]:
    """Yield prepare calls with the optimizer alone beside one with the model alone, and those with two models."""
    versions = [doc.get("fsdp.version") for _, doc in documents(flow) if doc.kind == "plugin"]
    if not any(entry is not None and entry.value == 2 for entry in versions):
        return
    for event in flow.trace.methods("prepare_model"):
        if _by_accelerator(event):
            yield flow.hit(event, "FSDP2 is prepared by prepare(model, optimizer) alone: ValueError")
            return
    events = [event for event in flow.trace.methods("prepare") if _by_accelerator(event)]
    models = [event for event in events if _models(event) and not _has_optimizer(event)]
    for event in events:
        if _models(event) > 1:
            yield flow.hit(event, "FSDP2 takes one model in each accelerator: ValueError")
            return
        if _has_optimizer(event) and not _models(event):
            for other in models:
                if flow.trace.ordered(other, event) and other.receiver is event.receiver:
                    yield flow.hit(
                        event, f"FSDP2 needs the model (prepared at line {other.line}) and the optimizer in one call"
                    )
                    return


def _by_accelerator(event: Event) -> bool:
    return any(obj.qual == "accelerate.Accelerator" for obj in objects(event.receiver))


def _has_optimizer(event: Event) -> bool:
    return any(is_optimizer(value) or names_optimizer(value) for value in event.args)


def _models(event: Event) -> int:
    """Return how many of the arguments are models, by their making, their class or their name."""
    return sum(any(_is_model(option) for option in options(value)) for value in event.args)


def _is_model(value: Value) -> bool:
    if not isinstance(value, Obj) or names_optimizer(value):
        return False
    if value.cls is not None:
        return is_module_class(value.cls)
    return bool(_NAMED.search(value.label)) or "from_pretrained" in value.qual
