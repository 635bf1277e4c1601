"""FSDP024: a 2-D mesh with a dimension of another parallelism is given to fully_shard whole.

fully_shard takes any 2-D mesh as (replicate, shard), whatever its names. Silent where
`dp_mesh_dims` says which dimensions are meant.
"""

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


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the first call that takes each such mesh."""
    reported: set[int] = set()
    for event in flow.trace.calls(FULLY_SHARD):
        for mesh in meshes(event.arg(1, "mesh")):
            if id(mesh.made) not in reported and "dp_mesh_dims" not in event.kwargs and _foreign(mesh):
                reported.add(id(mesh.made))
                names = ", ".join(mesh.names)
                yield flow.hit(
                    event,
                    f"the mesh ({names}) is given whole: parameters are replicated over {mesh.names[0]}"
                    f" and sharded over {mesh.names[1]}",
                )


def _foreign(mesh: Mesh) -> bool:
    if len(mesh.names) != 2:
        return False
    first, second = mesh.names
    if OTHER.search(first) or OTHER.search(second):
        return True
    return bool(SHARD.search(first) and SHARD.search(second)) and not REPLICATE.search(first)
