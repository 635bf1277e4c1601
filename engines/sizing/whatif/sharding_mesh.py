"""Full sharding, HSDP or resharding within a machine?"""

from contracts.errors import RequestInvalid
from contracts.whatif import Cell, Chart, Column, WhatIf
from engines.sizing.scale.meshes import Mesh, choose, measure, meshes
from engines.sizing.scale.reasons import mesh_arithmetic, mesh_because
from engines.sizing.whatif.case import Case

ASKS = "Which mesh for several machines: full sharding, HSDP, or resharding within a machine?"

_NAMES = {"full_shard": "full sharding", "hsdp": "HSDP", "reshard_to_node": "reshard within a machine"}


def answer(case: Case) -> WhatIf:
    """Compare the meshes.

    Raises:
        RequestInvalid: The GPU is not named, or there is one machine only.
    """
    place = case.place
    per_node = place.machine.fabric(case.setup.ranks).per_node
    found = meshes(case.shape, case.setup, place)
    if len(found) < 2:
        raise RequestInvalid(
            f"{case.setup.ranks} ranks are one machine of {per_node}: there is one mesh", hint="state --nodes"
        )
    chosen = choose(case.shape, found, place)
    for mesh in found:
        measure(case.shape, mesh, place, hopeless=True)
    return WhatIf(
        question="sharding-mesh",
        asks=ASKS,
        model=case.shape.name,
        columns=(
            Column(name="mesh"),
            Column(name="replicas"),
            Column(name="shard_ranks"),
            Column(name="reserved", unit="GiB"),
            Column(name="fits"),
            Column(name="tokens_per_s_per_gpu", unit="tokens/s"),
            Column(name="network", unit="GB a machine and step"),
            Column(name="chosen"),
        ),
        rows=tuple(_row(mesh, chosen) for mesh in found),
        answer=mesh_because(chosen, found, place),
        arithmetic=mesh_arithmetic(case.shape, found, per_node),
        chart=Chart(kind="bar", x="mesh", y="tokens_per_s_per_gpu"),
        cards=("hsdp-or-full-sharding", "hsdp-mesh", "reshard-int-value", "communication-volume"),
    )


def _row(mesh: Mesh, chosen: Mesh) -> dict[str, Cell]:
    return {
        "mesh": f"{_NAMES[mesh.kind]} {mesh.setup.dp_replicate} x {mesh.setup.shard_ranks}",
        "replicas": mesh.setup.dp_replicate,
        "shard_ranks": mesh.setup.shard_ranks,
        "reserved": round(mesh.reserved_gib, 3),
        "fits": mesh.fits,
        "tokens_per_s_per_gpu": round(mesh.speed.tokens_per_s_per_gpu, 1),
        "network": round(mesh.network_gb, 1),
        "chosen": mesh is chosen,
    }
