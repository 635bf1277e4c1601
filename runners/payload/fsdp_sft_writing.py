"""Write one checkpoint at a time, while the training waits or while it goes on.

In the background the state is copied to host memory first, which the training waits for;
a thread then writes, hashes and declares the copy. Its collectives have a gloo group of
their own: on the group of the training they would meet those of the step, and hang or
abort. Either way the outcome is the same on every rank.
"""

import shutil
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from fsdp_sft_manifest import claim_folder, digest_files, retire, write_manifest
from fsdp_sft_world import World
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.staging import BlockingAsyncStager

T = TypeVar("T")


class WriteFailed(RuntimeError):
    """A checkpoint could not be written. Nothing of it is left, and the training's state is as it was."""


@dataclass(frozen=True)
class Saved:
    """A checkpoint that is whole."""

    name: str
    """Its folder's name."""
    step: int
    """Optimizer steps done."""
    seconds: float
    """From the beginning of the save to the manifest."""
    stalled_s: float
    """Seconds of them that the training waited."""
    deleted: list[str]
    """Names of the folders that it made needless."""
    trouble: str = ""
    """Why a needless folder could not be deleted; empty otherwise."""


class Writer:
    """Writes step folders. Every method is a collective; `ended` is not."""

    def __init__(self, root: Path, world: World, keep: int, *, background: bool) -> None:
        """Make what a save in the background needs.

        Args:
            root: Folder of the checkpoints.
            world: This process among the others.
            keep: Good checkpoints to keep.
            background: Whether `begin` will be used.
        """
        self._root, self._world, self._keep = root, world, keep
        self._own = world
        self._thread: ThreadPoolExecutor | None = None
        self._flight: Future[Saved] | None = None
        self.distrusted: set[str] = set()
        """Names of folders that did not verify: retention does not count them."""
        if background:
            self._own = replace(world, group=dist.new_group(backend="gloo"))
            self._thread = ThreadPoolExecutor(1, "checkpoint", initializer=_enter, initargs=(world.device,))

    @property
    def ended(self) -> bool:
        """Whether a save in the background has ended on this rank, and waits for `settle`."""
        return self._flight is not None and self._flight.done()

    def write(self, state: dict[str, Any], step: int, attempt: int) -> Saved:
        """Save while the training waits.

        Args:
            state: The state, with sharded tensors.
            step: Optimizer steps done.
            attempt: Start of the job, counted from 1.

        Raises:
            WriteFailed: A rank could not write its part.
        """
        assert self._flight is None, "one save at a time"
        began = time.monotonic()
        return self._write(self._claim(step, attempt), state, step, began, None)

    def begin(self, state: dict[str, Any], step: int, attempt: int) -> None:
        """Save while the training goes on; returns when the state is copied. For the arguments see `write`.

        Raises:
            WriteFailed: There is no folder to write into.
        """
        assert self._thread is not None, "the writer was not made for it"
        assert self._flight is None, "one save at a time"
        began = time.monotonic()
        name = self._claim(step, attempt)
        copied = BlockingAsyncStager().stage(state)
        self._flight = self._thread.submit(self._write, name, copied, step, began, time.monotonic() - began)

    def settle(self) -> Saved | None:
        """Wait for the save in the background and return it; None where there is none.

        Raises:
            WriteFailed: A rank could not write its part.
        """
        flight, self._flight = self._flight, None
        if flight is None:
            return None
        began = time.monotonic()
        saved = flight.result()
        return replace(saved, stalled_s=saved.stalled_s + time.monotonic() - began)

    def _claim(self, step: int, attempt: int) -> str:
        name = _tried(lambda: claim_folder(self._root, step, attempt)) if self._world.rank == 0 else None
        return str(_agreed([self._world.share(name)], f"cannot make a folder for step {step}")[0])

    def _write(self, name: str, state: dict[str, Any], step: int, began: float, stalled_s: float | None) -> Saved:
        world, folder = self._own, self._root / name
        try:
            _with_causes(
                lambda: dcp.save(state, checkpoint_id=folder, process_group=world.group), f"cannot save {name}"
            )
            parts = world.collect(_tried(lambda: digest_files(folder, self._own_files(folder))))
            digests = {file: entry for part in _agreed(parts, f"cannot hash {name}") for file, entry in part.items()}
            declared = _tried(lambda: write_manifest(folder, digests, step, world.size)) if world.rank == 0 else None
            _agreed([world.share(declared)], f"cannot declare {name}")
        except WriteFailed:
            if world.rank == 0:  # every rank has left the folder: its bytes are wanted elsewhere
                shutil.rmtree(folder, ignore_errors=True)
            raise
        retired = _tried(lambda: retire(self._root, self._keep, self.distrusted)) if world.rank == 0 else None
        retired = world.share(retired)
        seconds = time.monotonic() - began
        trouble = retired.reason if isinstance(retired, _Failure) else ""
        deleted = [] if isinstance(retired, _Failure) else retired
        return Saved(name, step, seconds, seconds if stalled_s is None else stalled_s, deleted, trouble)

    def _own_files(self, folder: Path) -> list[str]:
        """Return the files that this rank hashes: its own, and on rank 0 those of nobody."""
        names = [path.name for path in folder.iterdir()]
        shards = [name for name in names if name.startswith("__")]
        own = [name for name in shards if name.startswith(f"__{self._world.rank}_")]
        return own + ([name for name in names if name not in shards] if self._world.rank == 0 else [])


@dataclass(frozen=True)
class _Failure:
    """In the place of a value: why there is none."""

    reason: str


def _tried(work: Callable[[], T]) -> "T | _Failure":
    try:
        return work()
    except (OSError, ValueError) as error:
        return _Failure(str(error))


def _agreed(values: list[Any], what: str) -> list[Any]:
    """Return the ranks' values, or raise on all ranks where one has none."""
    for value in values:
        if isinstance(value, _Failure):
            raise WriteFailed(f"{what}: {value.reason}")
    return values


def _with_causes(work: Callable[[], object], what: str) -> None:
    """Call DCP; its exception, which is no `Exception`, becomes one that names each rank's cause.

    Raises:
        WriteFailed: A rank failed.
    """
    try:
        work()
    except CheckpointException as error:
        causes = "; ".join(f"rank {rank}: {failure[0]}" for rank, failure in sorted(error.failures.items()))
        raise WriteFailed(f"{what}: {causes}") from error


def _enter(device: torch.device) -> None:
    """Begin the thread: with the first GPU as its own it would open a context there on every rank."""
    if device.type == "cuda":
        torch.cuda.set_device(device)
