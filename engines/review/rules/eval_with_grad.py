"""FSDP088: an evaluation that records gradients: memory, not wrong results."""

import re
from collections.abc import Iterator

from engines.review.flow.training import backwards, forwards, without_grad
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(id="FSDP088", slug="eval-with-grad", severity="warning", fix="with torch.no_grad():")

_EVALUATION = re.compile(r"^_?(eval(uate)?|valid(ate)?|validation|predict)(_|$)|_(eval(uate)?|validate|validation)$")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield forward passes with gradients in functions that evaluate."""
    trained = {function.key for event in backwards(flow.trace) if (function := event.function()) is not None}
    reported: set[object] = set()
    for event in forwards(flow.sharding):
        function = event.function()
        if (
            function is None
            or function.key in reported
            or function.key in trained
            or without_grad(event)
            or not event.loops
        ):
            continue
        if _EVALUATION.search(function.name) and not event.module.says("set_grad_enabled"):
            reported.add(function.key)
            yield flow.hit(event, f"{function.name} runs the model with gradients on")
