"""FSDP024: a 2-D mesh with a dimension of another parallelism is given to fully_shard whole.

fully_shard takes any 2-D mesh as (replicate, shard), whatever its names. Silent where
`dp_mesh_dims` says which dimensions are meant, and for (experts, shard) where the experts
themselves are sharded over the second dimension alone.
"""

import re
from collections.abc import Iterator

from engines.review.flow.meshes import OTHER, REPLICATE, SHARD, Mesh, meshes
from engines.review.flow.names import FULLY_SHARD
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP024",
    slug="whole-mesh-to-fully-shard",
    severity="error",
    fix='Give the data-parallel part, such as mesh["dp"] or mesh["dp_shard", "cp"]._flatten().',
)

_EXPERTS = re.compile(r"^(ep|expert)", re.IGNORECASE)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the first call that takes each such mesh."""
    reported: set[int] = set()
    for event in flow.trace.calls(FULLY_SHARD):
        for mesh in meshes(event.arg(1, "mesh")):
            if id(mesh.made) in reported or "dp_mesh_dims" in event.kwargs:
                continue
            if _foreign(mesh) and not _beside_experts(flow, mesh):
                reported.add(id(mesh.made))
                names = ", ".join(mesh.names)
                yield flow.hit(
                    event,
                    f"the mesh ({names}) is given whole: parameters are replicated over {mesh.names[0]}"
                    f" and sharded over {mesh.names[1]}",
                )


def _beside_experts(flow: Flow, mesh: Mesh) -> bool:
    """The experts' dimension replicates all the rest, where the experts are sharded over the other one alone."""
    first, second = mesh.names
    if not (_EXPERTS.search(first) and SHARD.search(second)):
        return False
    parts = (part for event in flow.trace.calls(FULLY_SHARD) for part in meshes(event.arg(1, "mesh")))
    return any(part.names == (second,) for part in parts)


def _foreign(mesh: Mesh) -> bool:
    if len(mesh.names) != 2:
        return False
    first, second = mesh.names
    if OTHER.search(first) or OTHER.search(second):
        return True
    return bool(SHARD.search(first) and SHARD.search(second)) and not REPLICATE.search(first)
