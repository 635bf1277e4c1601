"""What the job says about itself: facts at boot, speed and memory in each step."""

import resource
import time
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import nn
from torch.distributed.tensor import DTensor

_GIB = 1 << 30


class Speed:
    """Tokens and seconds since the last `step` event; evaluations and saves do not count."""

    def __init__(self) -> None:
        self._tokens, self._seconds, self._began = 0.0, 0.0, time.monotonic()

    def begin_step(self) -> None:
        """Start the clock."""
        self._began = time.monotonic()

    def end_step(self, tokens: float) -> None:
        """Stop the clock after a step of so many tokens over all ranks."""
        self._tokens += tokens
        self._seconds += time.monotonic() - self._began

    def take(self) -> float:
        """Return tokens per second since the last call."""
        rate = self._tokens / max(self._seconds, 1e-9)
        self._tokens = self._seconds = 0.0
        return rate


def model_facts(model: nn.Module) -> dict[str, Any]:
    """Return how large the model is and how much of it this rank holds, in elements."""
    sizes = [(p.numel(), p.to_local().numel() if isinstance(p, DTensor) else p.numel()) for p in model.parameters()]
    return {
        "parameters": sum(whole for whole, _ in sizes),
        "local_parameters": sum(local for _, local in sizes),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }


def memory_gib(device: torch.device) -> float:
    """Return peak reserved device memory, or on CPU the resident set size, in GiB."""
    if device.type == "cuda":
        return torch.cuda.max_memory_reserved(device) / _GIB
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        # not Linux: unknown, written as null
        return float("nan")
    return pages * resource.getpagesize() / _GIB


def peak_gib(device: torch.device) -> float:
    """Return peak reserved device memory, or on CPU the largest resident set size so far, in GiB."""
    if device.type == "cuda":
        return torch.cuda.max_memory_reserved(device) / _GIB
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return float("nan")
    # not getrusage: its peak is inherited from the parent across an exec
    return next((int(line.split()[1]) * 1024 / _GIB for line in lines if line.startswith("VmHWM:")), float("nan"))


def device_name(device: torch.device) -> str:
    """Return what kind of device it is, such as "NVIDIA H100 80GB HBM3"."""
    return str(torch.cuda.get_device_name(device)) if device.type == "cuda" else "cpu"
