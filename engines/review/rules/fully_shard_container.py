"""FSDP004: fully_shard on a ModuleList or ModuleDict, which has no forward to hook.

A Python list of modules is legal, and so is nn.Sequential.
"""

from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.names import FULLY_SHARD
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP004",
    slug="fully-shard-container",
    severity="error",
    fix="Loop over its elements, or pass a Python list of modules to make them one unit.",
    torch=">=2.4",
)

_CONTAINERS = ("torch.nn.ModuleList", "torch.nn.ModuleDict")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield calls whose argument is a container of modules."""
    for event in flow.trace.calls(FULLY_SHARD):
        for option in options(event.arg(0, "module")):
            if isinstance(option, Obj) and flow.shapes.known_part(option).qual in _CONTAINERS:
                kind = flow.shapes.known_part(option).qual.rpartition(".")[2]
                yield flow.hit(
                    event, f"{option.label} is an nn.{kind}: it has no forward, so its hooks would never run"
                )
