"""Links between GPUs, within a machine and between machines: bandwidth and latency, with sources.

Each file of `knowledge/links` holds one. Bandwidths are the data sheets'; what a collective
reaches of them is a fitted number of the throughput model. Latencies are the ones that NCCL's
own cost model assumes for a hop of a ring (src/graph/tuning.cc: 3.4 us on NVLink, 5.7 us on
PCIe, 14 us on InfiniBand), and larger where packets take a longer way (RoCE, EFA, TCP).
"""

import re
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from contracts.base import Contract
from knowledge.safe_yaml import parse_yaml

_FOLDER = Path(__file__).parent / "links"


class Link(Contract):
    """One kind of link."""

    name: str
    """Name and speed."""
    aliases: tuple[str, ...] = ()
    """Other names that people use for it."""
    kind: Literal["node", "network"]
    """Within a machine, or between machines."""
    gb_per_s: float = Field(gt=0)
    """Bandwidth in one direction for one GPU (the machine, where `shared`), in GB/s (1e9 bytes)."""
    shared: bool = False
    """One adapter serves all GPUs of the machine."""
    latency_us: float = Field(gt=0)
    """Time that a hop takes however small the message, in microseconds."""
    source: str
    """Data sheet."""
    note: str = ""
    """What a reader may get wrong."""


@cache
def links() -> dict[str, Link]:
    """Return every link by the name of its file, such as "nvlink-4"."""
    return {
        path.stem: Link.model_validate(parse_yaml(path.read_text("utf-8"))) for path in sorted(_FOLDER.glob("*.yaml"))
    }


@cache
def find_link(text: str) -> Link | None:
    """Return the link that a name means ("NVLink 4", "400G RoCE" is spelled "RoCE 400G"), or None."""
    wanted = _spelling(text)
    for stem, link in links().items():
        if wanted in {_spelling(name) for name in (stem, link.name, *link.aliases)}:
            return link
    return None


def _spelling(name: str) -> str:
    return re.sub(r"[^a-z0-9]|gbps|gbits|gbs", "", name.lower())
