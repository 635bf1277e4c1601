"""Recorded runs as the throughput model sees them."""

import re
from dataclasses import dataclass
from typing import Any

from engines.sizing.row_reading import read_row
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.fabric import Fabric, fabric_of
from engines.sizing.throughput.speed import Conditions
from knowledge.devices import Device, find_device

Json = dict[str, Any]

_ABOUT_MEMORY = ("wrap", "note", "confidence")
"""Fields whose doubts concern memory alone."""

_RECENT = "2025-08"
"""Nightly builds of torch 2.9 date from this month on."""

_PER_NODE = re.compile(r"\((\d+) Gbps\)")
"""Network bandwidth of a machine, as the rows state it beside the GPU."""


@dataclass(frozen=True)
class RecordedRun:
    """What the model needs of a run, and what was measured."""

    id: str
    """Name of the row."""
    shape: ModelShape
    """The model."""
    setup: TrainingSetup
    """How it was trained."""
    device: Device
    """The GPU."""
    fabric: Fabric
    """The links."""
    conditions: Conditions
    """What else the row says."""
    tokens_per_s_per_gpu: float | None
    """Measured."""


def recorded_run(row: Json) -> RecordedRun | None:
    """Return a run, or None where the model, the settings or the GPU cannot be read.

    Raises:
        RequestInvalid: The row's sizes contradict each other.
    """
    kept = {name: value for name, value in row.items() if name not in (*_ABOUT_MEMORY, "measured")}
    reading = read_row(kept)
    gpu = str(row.get("gpu_type") or "")
    device = find_device(re.sub(r"\s*\(.*\)", "", gpu))
    if reading.shape is None or reading.setup is None or device is None:
        return None
    setup, stated = reading.setup, _PER_NODE.search(gpu)
    if str(row.get("strategy")) == "HSDP" and setup.dp_replicate == 1:
        setup = setup.model_copy(update={"dp_shard": 8, "dp_replicate": setup.dp_shard // 8})
    fabric = fabric_of(device, setup.ranks, network=f"{stated.group(1)} Gb/s" if stated else None)
    words = f"{row.get('note') or ''}"
    measured = (row.get("measured") or {}).get("tokens_per_s_per_gpu")
    conditions = Conditions(
        deterministic="deterministic" in words,
        recent=str(row.get("date") or "") >= _RECENT,
        tuned=str(row.get("framework") or "").startswith("fms-fsdp"),
    )
    return RecordedRun(str(row.get("id")), reading.shape, setup, device, fabric, conditions, measured)


def why_not_fitted(row: Json) -> str:
    """Return why a recorded run does not take part in fitting the rates; empty where it does."""
    words = f"{row.get('note') or ''}"
    mesh = row.get("mesh") or {}
    if "leak" in words or "gc every step" in words:
        return "not a steady state"
    if row.get("peft"):
        return "adapters on consumer machines: the host decides, and the record does not describe it"
    if "paged" in str(row.get("optimizer") or "").lower():
        return "optimizer state in pageable host memory: the host's link decides, and the record does not describe it"
    if (mesh.get("cp") or 1) > 1:
        return "the waiting of ring attention is not described"
    if (mesh.get("pp") or 1) > 1:
        return "pipeline schedules are described by their bubble alone"
    if "eager" in str(row.get("float8") or ""):
        return "float8 without compile: casts are kernels of their own"
    if "tokens_per_s_async_tp" in (row.get("measured") or {}):
        return "asynchronous tensor parallelism was being compared: which of its modes a figure is for is not certain"
    return ""


def fitting_set(rows: list[Json]) -> list[RecordedRun]:
    """Return the measured runs of a record that the rates are fitted to."""
    runs = [recorded_run(row) for row in rows if not why_not_fitted(row)]
    return [run for run in runs if run is not None and run.tokens_per_s_per_gpu]
