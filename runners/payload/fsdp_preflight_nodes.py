"""Several nodes: how fast they are within and between each other, and the file system that they share.

Which node is slow is told by pairs: the first rank of the first node with the first rank
of each other one. A node whose pair is far slower than most is the one with the bad link,
or, where all are slow, it is the first node or the network.
"""

import os
import statistics
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from fsdp_sft_world import World

_MESSAGE_BYTES = {"cpu": 8 << 20, "cuda": 64 << 20}
_REPEATS = 4
_MOST_PAIRS = 64
"""A communicator for each pair takes memory and time: of a larger job, only the whole is measured."""
_WRITE_BYTES = 64 << 20
_PIECE_BYTES = 4 << 20


class Nodes:
    """The ranks of each node. Every method is a collective of all ranks."""

    def __init__(self, world: World, facts: list[dict[str, Any]]) -> None:
        """Sort the ranks by node.

        Args:
            world: This process among the others.
            facts: `host_facts` of each rank, in order of rank.
        """
        self._world = world
        self.ranks: dict[str, list[int]] = {}
        for fact in facts:
            self.ranks.setdefault(str(fact["host"]), []).append(int(fact["rank"]))

    @property
    def leaders(self) -> list[int]:
        """The first rank of each node."""
        return [ranks[0] for ranks in self.ranks.values()]

    def within(self) -> dict[str, float | None]:
        """Return the bus bandwidth within each node, in GB/s (1e9 bytes); None for a single rank."""
        groups = [(name, ranks) for name, ranks in self.ranks.items() if len(ranks) > 1]
        found = self._each([ranks for _, ranks in groups], together=True)
        return dict.fromkeys(self.ranks) | {name: speed for (name, _), speed in zip(groups, found, strict=True)}

    def between(self) -> float | None:
        """Return the bus bandwidth of one rank of each node among each other, in GB/s; None for a single node."""
        return self._each([self.leaders], together=False)[0] if len(self.ranks) > 1 else None

    def pairs(self) -> dict[str, float]:
        """Return the bandwidth between the first node and each other one, in GB/s; none where there are too many."""
        first, *others = self.leaders
        if not 1 < len(others) + 1 <= _MOST_PAIRS:
            return {}
        found = self._each([[first, other] for other in others], together=False)
        return {name: speed or 0.0 for name, speed in zip(list(self.ranks)[1:], found, strict=True)}

    def _each(self, groups: list[list[int]], *, together: bool) -> list[float | None]:
        """Measure each group: all at once where they share no link, else one after the other."""
        # every rank makes every group, in the same order: that is what new_group asks for
        made = [dist.new_group(ranks) for ranks in groups]
        mine: list[float | None] = []
        for ranks, group in zip(groups, made, strict=True):
            if not together:
                self._world.total(0.0)
            mine.append(self._speed(ranks, group) if self._world.rank in ranks else None)
        everybody = self._world.collect(mine)
        return [everybody[ranks[0]][at] for at, ranks in enumerate(groups)]

    def _speed(self, ranks: list[int], group: Any) -> float:
        world, size = self._world, _MESSAGE_BYTES[self._world.device.type]
        message, seconds = torch.ones(size // 4, device=world.device), []
        for _ in range(_REPEATS):
            began = time.perf_counter()
            dist.all_reduce(message, group=group)
            if world.device.type == "cuda":
                torch.cuda.synchronize(world.device)
            seconds.append(time.perf_counter() - began)
        # the first opens connections; bus bandwidth as nccl-tests defines it
        return size / statistics.median(seconds[1:]) * 2 * (len(ranks) - 1) / len(ranks) / 1e9


def shared_disk(world: World, nodes: Nodes, folder: Path) -> dict[str, dict[str, Any]]:
    """Write from every node at once, as a checkpoint does, and look for what rank 0 wrote. A collective.

    Args:
        world: This process among the others.
        nodes: Which rank is where.
        folder: A folder of the run.

    Returns:
        For each node `sees` (it read what rank 0 had written), `bytes_per_s` of its write
        until it was on the disk, and `problem` in words where it could not write.
    """
    token = world.share(os.urandom(8).hex())
    if world.rank == 0:
        (folder / "token").write_text(token)
    world.total(0.0)
    mine: dict[str, Any] | None = None
    if world.rank in nodes.leaders:
        mine = {"sees": _sees(folder / "token", token), "bytes_per_s": None, "problem": ""}
        try:
            mine["bytes_per_s"] = _WRITE_BYTES / _write(folder / f"write.{world.rank}")
        except OSError as error:
            mine["problem"] = f"cannot write into {folder}: {error.strerror}"
    found = world.collect(mine)
    return {name: found[ranks[0]] for name, ranks in nodes.ranks.items()}


def _sees(path: Path, token: str) -> bool:
    """Tell whether a file of another node is here; a network file system may show it some seconds later."""
    for _ in range(50):
        with suppress(OSError):
            if path.read_text() == token:
                return True
        time.sleep(0.1)
    return False


def _write(path: Path) -> float:
    """Write, wait until it is on the disk, and remove it; return the seconds."""
    piece = os.urandom(_PIECE_BYTES)
    began = time.perf_counter()
    try:
        with open(path, "wb") as stream:
            for _ in range(_WRITE_BYTES // _PIECE_BYTES):
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())
        return time.perf_counter() - began
    finally:
        path.unlink(missing_ok=True)
