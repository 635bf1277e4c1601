"""FSDP111: torch.utils.checkpoint with the reentrant form (works, but deprecated as a default)."""

from collections.abc import Iterator

from engines.review.flow.knowing import is_true
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(id="FSDP111", slug="reentrant-checkpoint", severity="advice", fix="use_reentrant=False")

_CALLS = ("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield calls that ask for it or leave it to the default."""
    for event in flow.trace.calls(*_CALLS):
        given = event.kwargs.get("use_reentrant")
        if is_true(given):
            yield flow.hit(
                event,
                "the reentrant form needs inputs with gradients and takes no keyword arguments",
                argument="use_reentrant",
            )
        elif given is None and "**" not in event.kwargs:
            yield flow.hit(event, "use_reentrant is not given, and its default is about to change")
