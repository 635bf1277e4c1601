"""HF217: an optimizer is handed to the Trainer, which makes its own after the wrap under FSDP."""

from collections.abc import Iterator

from engines.review.arguments import document_of, documents
from engines.review.flow.values import Const, Seq, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="HF217",
    slug="optimizers-arg-with-fsdp",
    severity="error",
    fix="Override create_optimizer(), or pass optimizer_cls_and_kwargs.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield Trainers with optimizers=(optimizer, ...) whose arguments switch FSDP on."""
    on = {id(event) for event, doc in documents(flow) if _is_on(doc.get("fsdp_mode"))}
    for qual, events in list(flow.trace.by_qual.items()):
        if not qual.endswith("Trainer") or not qual.startswith(("transformers.", "trl.")):
            continue
        for event in events:
            made = document_of(event.kwargs.get("args") or (event.args[1] if len(event.args) > 1 else None))
            if made is not None and id(made) in on and _gives_optimizer(event.kwargs.get("optimizers")):
                yield flow.hit(event, "under FSDP the Trainer refuses an optimizer that was made before the wrap")


def _is_on(entry: object) -> bool:
    value = getattr(entry, "value", None)
    return value not in (None, False, "", [])


def _gives_optimizer(value: Value | None) -> bool:
    if not isinstance(value, Seq) or not value.items:
        return False
    first = value.items[0]
    return not (isinstance(first, Const) and first.value is None)
