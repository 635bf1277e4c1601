"""Named GPUs: memory, speed and links, from the vendors' data sheets.

Each file of `knowledge/hardware` holds one GPU. `usable_gib` is what
`torch.cuda.get_device_properties(0).total_memory` (and an out-of-memory message)
states, which is less than the name says. Read once, on first use.
"""

import re
from functools import cache
from pathlib import Path

from pydantic import Field

from contracts.base import Contract
from knowledge.safe_yaml import parse_yaml

_FOLDER = Path(__file__).parent / "hardware"


class Device(Contract):
    """One GPU as torch sees it."""

    name: str
    """Model and memory."""
    aliases: tuple[str, ...] = ()
    """Other names that people use for it."""
    memory_gb: float = Field(gt=0)
    """Memory as the vendor states it, in GB."""
    usable_gib: float = Field(gt=0)
    """Memory that a process can use at most, in GiB."""
    bf16_tflops: float | None = None
    """Dense bf16 throughput with fp32 accumulation, in TFLOP/s; None: no bf16 hardware."""
    fp32_tflops: float | None = None
    """Dense fp32 throughput in TFLOP/s where there are no tensor cores for it (TF32); None: there are."""
    hbm_gb_per_s: float = Field(gt=0)
    """Bandwidth of the device memory, in GB/s."""
    link: str
    """Fastest link between the GPUs of one machine."""
    link_gb_per_s: float = Field(gt=0)
    """Bandwidth of that link for one GPU, both directions together, in GB/s."""
    source: str
    """The vendor's page, for memory, bandwidth and links."""
    tflops_source: str = ""
    """Where the throughput was read; empty: no bf16 hardware."""
    usable_source: str = ""
    """A log or report that shows the usable memory; empty: none was found, which the note says."""
    note: str = ""
    """What a reader may get wrong."""


@cache
def devices() -> dict[str, Device]:
    """Return every GPU by the name of its file, such as "h100"."""
    found = {}
    for path in sorted(_FOLDER.glob("*.yaml")):
        fields = parse_yaml(path.read_text("utf-8"))
        found[path.stem] = Device.model_validate(fields)
    return found


def find_device(text: str) -> Device | None:
    """Return the GPU that a name means ("NVIDIA H100 80GB HBM3", "a100-40gb"), or None."""
    wanted = _spelling(text)
    for stem, device in devices().items():
        if wanted in {_spelling(name) for name in (stem, device.name, *device.aliases)}:
            return device
    return None


def _spelling(name: str) -> str:
    return re.sub(r"[^a-z0-9]|nvidia|amd|instinct|geforce|tesla", "", name.lower())
