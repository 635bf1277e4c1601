"""Between the ranks: do sums come out right, how fast, and do the clocks agree?"""

import statistics
import time
from typing import Any

import torch
import torch.distributed as dist
from fsdp_sft_world import World

_SMALLEST_BYTES = 1 << 10
_LARGEST_BYTES = 64 << 20
_GROWTH = 8
_FEW_BYTES = 1 << 20
"""Larger messages are repeated less often."""
_MANY, _FEW = 10, 3
_PERIOD = 17
"""The pattern's values are below it, so that float32 sums are exact for 1024 ranks: 16 * 524800 < 2**24."""
_PINGS = 8


class Links:
    """The ranks' connections. Every method is a collective."""

    def __init__(self, world: World) -> None:
        """Take the ranks."""
        self._world = world

    @staticmethod
    def sizes_bytes() -> list[int]:
        """Return the message sizes, from 1 KiB in factors of eight, and 64 MiB."""
        sizes, size = [], _SMALLEST_BYTES
        while size < _LARGEST_BYTES:
            sizes.append(size)
            size *= _GROWTH
        return [*sizes, _LARGEST_BYTES]

    def all_reduce(self, size_bytes: int) -> dict[str, Any]:
        """Sum a float32 message over all ranks some times.

        Bus bandwidth is the algorithm's (bytes / seconds) times 2 (n - 1) / n for n ranks, as
        the documentation of nccl-tests defines it: it compares with the speed of a link.

        Args:
            size_bytes: Bytes of the message on each rank.

        Returns:
            `bytes`, `right` (every element on every rank is the sum), `seconds` (median over
            the repetitions of the slowest rank), `bus_gb_per_s` (1e9 bytes; None for one rank).
        """
        world, ranks = self._world, self._world.size
        pattern = torch.arange(size_bytes // 4, device=world.device).remainder(_PERIOD).float()
        expected = pattern * (ranks * (ranks + 1) // 2)
        seconds, right = [], True
        for _ in range(_MANY if size_bytes <= _FEW_BYTES else _FEW):
            message = pattern * (world.rank + 1)
            self._settle()
            began = time.perf_counter()
            dist.all_reduce(message)
            if world.device.type == "cuda":
                torch.cuda.synchronize(world.device)
            seconds.append(time.perf_counter() - began)
            right = right and torch.equal(message, expected)
        slowest = [max(each) for each in zip(*world.collect(seconds), strict=True)]
        # the first opens connections
        middle = statistics.median(slowest[1:])
        bus = None if ranks == 1 else size_bytes / middle * 2 * (ranks - 1) / ranks / 1e9
        return {"bytes": size_bytes, "right": all(world.collect(right)), "seconds": middle, "bus_gb_per_s": bus}

    def clock_skews(self) -> list[tuple[float, float]]:
        """Return by how many seconds each rank's clock is ahead of rank 0's, and how far that may be wrong.

        Rank 0 sends a ping and the rank answers with its time; the answer with the shortest
        way counts, and half of its way is the error (Cristian's algorithm).
        """
        skews = [self._skew(rank) for rank in range(1, self._world.size)]
        return list(self._world.share([(0.0, 0.0), *skews]))

    def _skew(self, rank: int) -> tuple[float, float]:
        box, best = torch.zeros(1, dtype=torch.float64), (0.0, float("inf"))
        for _ in range(_PINGS):
            if self._world.rank == 0:
                began = time.time()
                dist.send(box, rank)
                dist.recv(box, rank)
                ended = time.time()
                error = (ended - began) / 2
                if error < best[1]:
                    best = (float(box) - (began + ended) / 2, error)
            elif self._world.rank == rank:
                dist.recv(box, 0)
                box[0] = time.time()
                dist.send(box, 0)
        return best

    def _settle(self) -> None:
        """Let all ranks begin together."""
        if self._world.device.type == "cuda":
            torch.cuda.synchronize(self._world.device)
        self._world.total(0.0)
