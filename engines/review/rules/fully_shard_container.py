"""FSDP004: fully_shard on a ModuleList or ModuleDict, which has no forward to hook.

A Python list of modules is legal, and so is nn.Sequential.
"""

from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.names import FULLY_SHARD
from engines.review.flow.sharding import chain
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
            elif isinstance(option, Obj) and _layers_of_transformers(option):
                yield flow.hit(event, f"{option.label} is an nn.ModuleList: it has no forward, so its hooks never run")


def _layers_of_transformers(option: Obj) -> bool:
    """`lm.model.layers`, `lm.transformer.h` of a model of transformers."""
    top = list(chain(option))[-1]
    return option.op == "attr" and option.label.endswith((".layers", ".h")) and top.qual.startswith("transformers.")
