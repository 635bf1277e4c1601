"""FSDP028: reshard_after_forward as a number that is 1, or does not divide the shard size."""

from collections.abc import Iterator

from engines.review.flow.knowing import number
from engines.review.flow.meshes import meshes
from engines.review.flow.names import FULLY_SHARD
from engines.review.flow.trace import Event
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP028",
    slug="reshard-int-value",
    severity="error",
    fix="True or False, or a number that divides the shard size, such as the GPUs of a node.",
    torch=">=2.4",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield numbers that cannot be what was meant."""
    for event in flow.trace.calls(FULLY_SHARD):
        value = number(event.kwargs.get("reshard_after_forward"))
        if value is None:
            continue
        size = _shard_size(event)
        if value == 1:
            message = "reshard_after_forward=1 is taken as False: parameters stay unsharded after forward"
            yield flow.hit(event, message, argument="reshard_after_forward")
        elif size is not None and size % value:
            message = f"{value} does not divide the shard size {size}"
            yield flow.hit(event, message, argument="reshard_after_forward")


def _shard_size(event: Event) -> int | None:
    for mesh in meshes(event.arg(1, "mesh")):
        return number(mesh.sizes[-1]) if mesh.sizes else None
    return None
