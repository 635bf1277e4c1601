"""Reliability: how often machines fail, and what a failure and a checkpoint cost in time."""

from pydantic import Field

from contracts.base import Contract

LLAMA3_GPU_HOURS_PER_FAILURE = 54 * 24 * 16384 / 419
"""419 unexpected interruptions in 54 days on 16,384 H100 (Llama 3, arXiv 2407.21783, section 3.3.4):
50,677 GPU hours for each."""

LLAMA3_STORAGE_GB_PER_S = 1.0
"""2 TB/s of sustained throughput for the 2,048 machines of 16,384 GPUs, rounded (the same paper,
section 3.3.1)."""


class Reliability(Contract):
    """What a job of many machines has to expect; the defaults are published figures of one cluster."""

    gpu_hours_per_failure: float = Field(default=LLAMA3_GPU_HOURS_PER_FAILURE, gt=0)
    """GPU hours between two failures that end a job: a job of N GPUs fails every 1/N of them."""
    storage_gb_per_s: float = Field(default=LLAMA3_STORAGE_GB_PER_S, gt=0)
    """GB/s (1e9 bytes) that one machine writes to the shared storage while all of them do."""
    restart_minutes: float = Field(default=10.0, ge=0)
    """Minutes from a failure to the first step after it, without reading the checkpoint: noticing
    it, a machine in place of the one that failed, starting the processes."""
