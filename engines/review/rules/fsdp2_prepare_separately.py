"""HF214: model and optimizer are prepared in different calls, which FSDP2 refuses."""

from collections.abc import Iterator

from engines.review.arguments import documents
from engines.review.flow.knowing import objects, options
from engines.review.flow.optimizers import is_optimizer
from engines.review.flow.trace import Event
from engines.review.flow.training import names_optimizer
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="HF214",
    slug="fsdp2-prepare-separately",
    severity="error",
    fix="accelerator.prepare(model, optimizer, ...) in one call",
    card="accelerate-optimizer-swap",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield prepare calls with an optimizer and no model beside another with a model and no optimizer."""
    versions = [doc.get("fsdp.version") for _, doc in documents(flow) if doc.kind == "plugin"]
    if not any(entry is not None and entry.value == 2 for entry in versions):
        return
    events = [event for event in flow.trace.methods("prepare") if _by_accelerator(event)]
    models = [event for event in events if _has_model(event) and not _has_optimizer(event)]
    for event in events:
        if _has_optimizer(event) and not _has_model(event):
            for other in models:
                if other.run == event.run and other.receiver is event.receiver:
                    yield flow.hit(
                        event, f"FSDP2 needs the model (prepared at line {other.line}) and the optimizer in one call"
                    )
                    return


def _by_accelerator(event: Event) -> bool:
    return any(obj.qual == "accelerate.Accelerator" for obj in objects(event.receiver))


def _has_optimizer(event: Event) -> bool:
    return any(is_optimizer(value) or names_optimizer(value) for value in event.args)


def _has_model(event: Event) -> bool:
    for value in event.args:
        for option in options(value):
            if isinstance(option, Obj) and not names_optimizer(option):
                label = option.label.rpartition(".")[2]
                if (
                    label in ("model", "net", "network", "module")
                    or option.cls is not None
                    or "from_pretrained" in option.qual
                ):
                    return True
    return False
