"""What a rank spends of its own in a step: time in which it waits for no other rank.

Collectives make every rank's step as long as the slowest one's, so step times do not tell
which rank holds the others up. Two parts of a step hold no collective: the preparation of
its batches, and the forward of an FSDP unit between the hooks of `fully_shard`, which
wait for the all-gather before it. They are measured on each rank and added up in its
heartbeat, where the supervisor compares them.
"""

import time
from typing import Any

import torch
from torch import nn
from torch.distributed.fsdp import FSDPModule


class Pace:
    """Seconds of a rank's own work since the start of the attempt."""

    def __init__(self, model: nn.Module, device: torch.device) -> None:
        """Hang the clocks on the innermost FSDP units: others have all-gathers within.

        Args:
            model: The model after `fully_shard`.
            device: Where it computes.
        """
        units = _innermost_units(model)
        self._clock = _DeviceClock() if device.type == "cuda" else _HostClock()
        self._units, self._left, self._began = len(units), 0, time.perf_counter()
        self.steps, self.host_s, self.forward_s = 0, 0.0, 0.0
        for unit in units:
            # without prepend: after FSDP's own pre-forward hook, which waits
            unit.register_forward_pre_hook(self._enter)
            unit.register_forward_hook(self._leave)

    def begin(self) -> None:
        """A step begins: its batches are prepared from here on."""
        self._began = time.perf_counter()

    def ready(self) -> None:
        """The batches are prepared; what follows waits for the other ranks."""
        self.host_s += time.perf_counter() - self._began
        # the first micro-step alone is measured: the recomputation of blocks would come again
        self._left = self._units

    def end(self) -> dict[str, float]:
        """Take a step in, after the device has caught up, and return the sums for the heartbeat."""
        self._left = 0
        self.steps += 1
        self.forward_s += self._clock.take()
        return {"steps": self.steps, "host_s": round(self.host_s, 6), "forward_s": round(self.forward_s, 6)}

    def _enter(self, *_: Any) -> None:
        if self._left:
            self._clock.start()

    def _leave(self, *_: Any) -> None:
        if self._left:
            self._left -= 1
            self._clock.stop()


class _HostClock:
    """For a device whose operations are done when they return."""

    def __init__(self) -> None:
        self._began, self._seconds = 0.0, 0.0

    def start(self) -> None:
        self._began = time.perf_counter()

    def stop(self) -> None:
        self._seconds += time.perf_counter() - self._began

    def take(self) -> float:
        """Return the seconds since the last call."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds


class _DeviceClock:
    """For a device with a stream of its own: events mark the time there, and cost no wait."""

    def __init__(self) -> None:
        self._free: list[tuple[torch.cuda.Event, torch.cuda.Event]] = []
        self._used: list[tuple[torch.cuda.Event, torch.cuda.Event]] = []

    def start(self) -> None:
        pair = self._free.pop() if self._free else (_event(), _event())
        self._used.append(pair)
        pair[0].record()

    def stop(self) -> None:
        self._used[-1][1].record()

    def take(self) -> float:
        """Return the seconds since the last call; the stream has passed all events by then."""
        seconds = sum(first.elapsed_time(last) for first, last in self._used if last.query()) / 1000
        self._free += self._used
        self._used = []
        return seconds


def _event() -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True)


def _innermost_units(model: nn.Module) -> list[nn.Module]:
    """Return the FSDP units that hold no other, the root left out where there are any."""
    units = [module for module in model.modules() if isinstance(module, FSDPModule)]
    return [unit for unit in units if not any(isinstance(m, FSDPModule) for m in unit.modules() if m is not unit)]
