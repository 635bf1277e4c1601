"""FSDP026: a mesh of three dimensions, or of two without names, for fully_shard."""

from collections.abc import Iterator

from engines.review.flow.meshes import meshes
from engines.review.flow.names import FULLY_SHARD
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP026",
    slug="bad-mesh-rank",
    severity="error",
    fix="Give names to the dimensions and slice the data-parallel part out of the mesh.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield a mesh without names where it is made, one with too many dimensions where it is given whole."""
    reported: set[int] = set()
    for event in flow.trace.calls(FULLY_SHARD):
        for mesh in meshes(event.arg(1, "mesh")):
            if id(mesh.made) in reported or "dp_mesh_dims" in event.kwargs:
                continue
            if mesh.rank is not None and mesh.rank > 2:
                reported.add(id(mesh.made))
                message = f"fully_shard takes a mesh of one or two dimensions, this one has {mesh.rank}"
                yield flow.hit(event, message).beside(mesh.made, "is made here")
            elif mesh.rank == 2 and not mesh.named:
                reported.add(id(mesh.made))
                message = "fully_shard needs names on a mesh of two dimensions, this one has none"
                yield flow.hit(mesh.made, message).beside(event, "is given here")
