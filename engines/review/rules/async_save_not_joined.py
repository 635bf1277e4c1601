"""FSDP051: the future of dcp.async_save is dropped: the next save or the exit may cut it short."""

from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.names import DCP
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP051",
    slug="async-save-not-joined",
    severity="warning",
    fix="Keep the future and call .result() before the next save and before the exit.",
    torch=">=2.3",
)


_WAITS = ("result(", "wait", "done(", "exception(", "add_done_callback", "await ")
"""Text of code that waits for a future."""


def check(flow: Flow) -> Iterator[Hit]:
    """Yield asynchronous saves that nobody waits for."""
    for event in flow.trace.calls(f"{DCP}.async_save"):
        kept = any(isinstance(o, Obj) and (o.names or o.label) for o in options(event.result))
        if event.discarded or not (kept or _handed_on(flow, event)) or not flow.mentions(*_WAITS):
            yield flow.hit(event, "nobody waits for this checkpoint to be complete")


def _handed_on(flow: Flow, event: Event) -> bool:
    """Tell whether the future goes into a call, a list or out of the function that nobody here calls."""
    result = event.result
    if any(result in other.args or (other.receiver is result) for other in flow.trace.events if other.kind == "call"):
        return True
    returned = [jump for jump in flow.trace.kind("jump") if jump.name == "return" and result in jump.args]
    return any(len(jump.stack) <= 1 for jump in returned)
