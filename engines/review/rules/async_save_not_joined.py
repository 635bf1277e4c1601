"""FSDP051: the future of dcp.async_save is dropped: the next save or the exit may cut it short."""

from collections.abc import Iterator

from engines.review.flow.names import DCP
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP051",
    slug="async-save-not-joined",
    severity="warning",
    fix="Keep the future and call .result() before the next save and before the exit.",
    torch=">=2.3",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield asynchronous saves that nobody waits for."""
    for event in flow.trace.calls(f"{DCP}.async_save"):
        if event.discarded:
            yield flow.hit(event, "nobody waits for this checkpoint to be complete")
