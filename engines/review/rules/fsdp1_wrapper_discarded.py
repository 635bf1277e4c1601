"""FSDP007: the module that FSDP(...) returns is thrown away; the original stays unwrapped."""

from collections.abc import Iterator

from engines.review.flow.names import FSDP1
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP007",
    slug="fsdp1-wrapper-discarded",
    severity="error",
    fix="Assign it back: parent.child = FSDP(parent.child), or use auto_wrap_policy.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield FSDP(...) as a statement of its own, or bound only to a loop's variable."""
    for event in flow.trace.calls(FSDP1):
        if event.discarded:
            yield flow.hit(
                event, "FSDP(...) returns the wrapped module, which nobody takes: the original is not sharded"
            )
