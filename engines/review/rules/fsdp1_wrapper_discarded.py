"""FSDP007: the module that FSDP(...) returns is thrown away; the original stays unwrapped."""

from collections.abc import Iterator

from engines.review.flow.bindings import is_lost
from engines.review.flow.names import FSDP1
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP007",
    slug="fsdp1-wrapper-discarded",
    severity="error",
    fix="Assign it back: parent.child = FSDP(parent.child), or use auto_wrap_policy.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield FSDP(...) as a statement of its own, or bound to a name that nothing asks for."""
    for event in flow.trace.calls(FSDP1):
        function = event.function()
        if function is not None and function.name.startswith("test"):
            continue  # a test may ask only whether the wrap raises
        if is_lost(event):
            place = event.dropped_at or (event.module, event.node)
            yield at(*place, "FSDP(...) returns the wrapped module, which nobody takes: the original is not sharded")
