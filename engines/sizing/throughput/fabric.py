"""Fabric: how the GPUs of a job are connected, and how long a collective takes on it."""

from dataclasses import dataclass

from contracts.errors import CannotBeKnown
from knowledge.devices import Device
from knowledge.links import Link, find_link, links

GPUS_PER_NODE = 8
"""GPUs of a machine where a request names no machines: that of the HGX and OAM boards."""

_US = 1e-6
_GB = 1e9


@dataclass(frozen=True)
class Fabric:
    """Bandwidths in GB/s (1e9 bytes) in one direction, latencies in microseconds for a hop."""

    per_node: int
    """Ranks of one machine."""
    node_gb_per_s: float
    """Of one GPU, within the machine."""
    node_latency_us: float
    """Within the machine."""
    network_gb_per_s: float
    """Of one GPU, between machines."""
    network_latency_us: float
    """Between machines."""
    assumed: Link | None = None
    """The link between machines, where it was assumed; None: it was stated, or none is needed."""


@dataclass(frozen=True)
class Reach:
    """Shares of a data sheet's bandwidth that a collective attains (fitted)."""

    node: float
    """Within a machine."""
    network: float
    """Between machines."""


def fabric_of(device: Device, ranks: int, nodes: int | None = None, network: str | None = None) -> Fabric:
    """Return the fabric of a job.

    Args:
        device: The GPU; its data sheet names the link within the machine.
        ranks: Ranks in all.
        nodes: Machines; None: as few as hold the ranks, eight GPUs each.
        network: Link between machines by a name of `knowledge/links`, or as "400 Gb/s" for each
            machine; None: assumed (NDR InfiniBand for Hopper and later, HDR before).

    Raises:
        CannotBeKnown: The network's name is not known.
    """
    per_node = ranks // nodes if nodes else min(ranks, GPUS_PER_NODE)
    inside = find_link(device.link)
    within = device.link_gb_per_s / 2
    latency = inside.latency_us if inside else 5.0
    assumed = None
    if network is None:
        link = links()["infiniband-ndr" if device.hbm_gb_per_s > _HOPPER_GB_PER_S else "infiniband-hdr"]
        if ranks > per_node:
            assumed = link
    else:
        link = _network(network, per_node)
    share = link.gb_per_s / per_node if link.shared else link.gb_per_s
    return Fabric(per_node, within, latency, share, link.latency_us, assumed)


_HOPPER_GB_PER_S = 2300
"""Memory bandwidth that only GPUs of the generations with 400 Gb/s adapters exceed."""


def _network(name: str, per_node: int) -> Link:
    link = find_link(name)
    if link is not None:
        return link
    number, _, unit = name.strip().partition(" ")
    if unit.lower().replace("bps", "b/s") == "gb/s" and number.replace(".", "", 1).isdigit() and float(number) > 0:
        shared = float(number) / 8 / per_node
        return Link(name=name, kind="network", gb_per_s=shared, latency_us=16, source="stated")
    known = ", ".join(link.name for link in links().values() if link.kind == "network")
    raise CannotBeKnown(
        f"the network {name!r} is not known",
        code="network_unknown",
        hint=f'give what a machine has in all, as "400 Gb/s", or one of: {known}',
    )


def ring_s(size_bytes: float, ranks: int, stride: int, fabric: Fabric, reach: Reach) -> float:
    """Return the seconds of an all-gather or a reduce-scatter over a ring.

    Each rank passes on (n - 1)/n of the whole. Where the ring leaves a machine, it has the
    adapters of its members there; rings side by side (stride > 1) share the machine's.

    Args:
        size_bytes: The whole: what every rank holds after an all-gather.
        ranks: Members of the group.
        stride: Distance of neighbours in global ranks; 1 where the group is contiguous.
        fabric: The links.
        reach: The attainable shares.
    """
    if ranks == 1 or size_bytes == 0:
        return 0.0
    local = max(1, min(ranks, fabric.per_node // stride))
    nodes = -(-ranks // local)
    bandwidth = fabric.node_gb_per_s * reach.node if local > 1 else float("inf")
    hops_us = (local - 1) * fabric.node_latency_us
    if nodes > 1:
        bandwidth = min(bandwidth, fabric.network_gb_per_s * reach.network * local)
        hops_us += (nodes - 1) * fabric.network_latency_us
    return (ranks - 1) / ranks * size_bytes / (bandwidth * _GB) + hops_us * _US
