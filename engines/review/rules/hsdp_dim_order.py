"""FSDP025: a mesh for HSDP with the sharding dimension first."""

from collections.abc import Iterator

from engines.review.flow.meshes import REPLICATE, SHARD, Mesh, possible_meshes
from engines.review.flow.names import FSDP1, FULLY_SHARD
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP025",
    slug="hsdp-dim-order",
    severity="error",
    fix='Make it (nodes, gpus_per_node) with the names ("replicate", "shard").',
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield meshes whose first dimension is meant to shard, where they are made."""
    reported: set[int] = set()
    pairs = [(event, event.arg(1, "mesh")) for event in flow.trace.calls(FULLY_SHARD)]
    pairs += [(event, event.kwargs.get("device_mesh")) for event in flow.trace.calls(FSDP1)]
    for event, value in pairs:
        for mesh in possible_meshes(value):
            if id(mesh.made) in reported or "dp_mesh_dims" in event.kwargs:
                continue
            if _swapped_names(mesh):
                reported.add(id(mesh.made))
                yield flow.hit(
                    mesh.made,
                    f"dimension 0 of an HSDP mesh always replicates and dimension 1 always shards; here they are"
                    f" ({', '.join(mesh.names)})",
                )
            elif _swapped_sizes(mesh):
                reported.add(id(mesh.made))
                yield flow.hit(
                    mesh.made,
                    "dimension 0 of an HSDP mesh replicates: with the GPUs of a node first, shards lie across nodes",
                    severity="warning",
                )


def _swapped_names(mesh: Mesh) -> bool:
    if len(mesh.names) != 2:
        return False
    first, second = mesh.names
    return bool(SHARD.search(first) and REPLICATE.search(second)) and not REPLICATE.search(first)


def _swapped_sizes(mesh: Mesh) -> bool:
    """The first size is the number of ranks on a node, the second is computed from it."""
    if len(mesh.sizes) != 2:
        return False
    return _per_node(mesh.sizes[0]) and not _per_node(mesh.sizes[1])


def _per_node(size: object) -> bool:
    if not isinstance(size, Obj):
        return False
    if size.qual == "int" and size.sources and isinstance(size.sources[0], Obj):
        size = size.sources[0]
    return (size.op == "env" and size.label == "LOCAL_WORLD_SIZE") or size.qual.endswith("device_count")
