"""FSDP044: load_state_dict(assign=True) of plain tensors into a sharded (meta) model."""

from collections.abc import Iterator

from engines.review.flow.knowing import is_true
from engines.review.flow.loading import loaded_plain, loads_into_sharded
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP044",
    slug="plain-assign-into-fsdp2",
    severity="error",
    fix="distribute_tensor() each value onto the parameter's mesh and placements first.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield assignments of plain tensors in the place of DTensors."""
    for event in loads_into_sharded(flow.sharding, flow.trace):
        reader = loaded_plain(event.arg(0, "state_dict"))
        if is_true(event.kwargs.get("assign")) and reader:
            yield flow.hit(
                event, f"plain tensors from {reader} take the place of DTensor parameters", argument="assign"
            )
