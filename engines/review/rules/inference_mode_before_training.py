"""FSDP089: the first forward of a sharded model runs in inference mode, and training follows."""

import ast
from collections.abc import Iterator

from engines.review.flow.knowing import objects, options
from engines.review.flow.project import Module
from engines.review.flow.sharding import base
from engines.review.flow.trace import Event
from engines.review.flow.training import backwards, forwards, without_grad
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP089",
    slug="inference-mode-before-training",
    severity="error",
    fix="torch.no_grad() for what runs before the first training step.",
    torch="<=2.13",
)

_MODE = "torch.inference_mode"


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the inference mode of a forward before any training forward of the same model."""
    passes = list(forwards(flow.sharding))
    for event in passes:
        if not event.under(_MODE) or _trained_before(flow, passes, event):
            continue
        if any(flow.trace.before(event, b) for b in backwards(flow.trace)):
            message = (
                f"the first forward (line {event.line}) gathers inference tensors, and training in place then fails"
            )
            yield at(*_mode(event), message).beside(event, "the first forward")
            return


def _mode(event: Event) -> tuple[Module, ast.AST]:
    """Return the `with` item or decorator that switches the mode, the event itself where it is not seen."""
    for value in reversed(event.withs):
        for option in options(value):
            if isinstance(option, Obj) and option.qual == _MODE and option.made is not None:
                return option.made.module, option.made.node
    for site in reversed(event.stack):
        for decorator in getattr(site.callee.node, "decorator_list", ()):
            if ast.unparse(decorator).endswith("inference_mode"):
                return site.callee.module, decorator
    return event.module, event.node


def _trained_before(flow: Flow, passes: list[Event], event: Event) -> bool:
    mine = {id(base(obj)) for obj in objects(event.callee)}
    for other in passes:
        same = any(id(base(obj)) in mine for obj in objects(other.callee))
        if other.run == event.run and other.seq < event.seq and same and not without_grad(other):
            return True
    return any(b.run == event.run and b.seq < event.seq for b in backwards(flow.trace))
