"""Checkpoints of the whole training state: saved, found again, loaded on any world size.

The state: sharded model and optimizer, progress (steps, examples consumed), and each
rank's random number state. The learning rate needs none: it is a function of the step.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed.checkpoint as dcp
from fsdp_sft_loading import CheckedReader, RestrictedPlanner
from fsdp_sft_manifest import (
    claim_folder,
    digest_files,
    find_fault,
    list_folders,
    read_manifest,
    retire,
    write_manifest,
)
from fsdp_sft_world import World
from torch import nn
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.state_dict import (
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)


@dataclass
class Progress:
    """How far the run has come."""

    step: int = 0
    """Optimizer steps done."""
    examples: int = 0
    """Examples consumed over all ranks: where the data order goes on."""
    global_batch: int = 0
    """Examples in one optimizer step, over all ranks."""


@dataclass(frozen=True)
class Found:
    """The checkpoint to resume from."""

    name: str | None
    """Its folder's name; None where there is none."""
    skipped: dict[str, str]
    """Newer folders that did not verify, and why."""
    world_size: int = 0
    """Ranks that wrote it."""


class Checkpointer:
    """Saves and loads the state of one job. Every method is a collective."""

    def __init__(self, root: Path, world: World, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        """Keep what the state is made of.

        Args:
            root: Folder of the checkpoints.
            world: This process among the others.
            model: The sharded model.
            optimizer: Over its parameters.
        """
        self._root, self._world, self._model, self._optimizer = root, world, model, optimizer
        self._distrusted: set[str] = set()

    def find(self) -> Found:
        """Return the newest checkpoint that verifies; the ranks share the reading."""
        skipped: dict[str, str] = {}
        for name in self._world.share(list_folders(self._root)):
            faults = self._world.collect(find_fault(self._root / name, self._world.rank, self._world.size))
            fault = next((fault for fault in faults if fault is not None), None)
            if fault is None:
                world_size = self._world.share(read_manifest(self._root / name)["world_size"])
                return Found(name, skipped, world_size)
            skipped[name] = fault
            self._distrusted.add(name)
        return Found(None, skipped)

    def load(self, found: Found) -> Progress:
        """Load a checkpoint in place; random number states only at the same world size.

        Raises:
            RuntimeError: It does not fit this model.
        """
        assert found.name is not None, "nothing to load"
        same_ranks = found.world_size == self._world.size
        state = self._state(Progress(), with_random=same_ranks)
        with _as_error(f"cannot load {found.name}"):
            dcp.load(state, storage_reader=CheckedReader(self._root / found.name), planner=RestrictedPlanner())
        set_model_state_dict(self._model, state["model"])
        set_optimizer_state_dict(self._model, self._optimizer, state["optimizer"])
        if same_ranks:
            set_random_state(state["random"][str(self._world.rank)], self._world.device)
        step, examples, global_batch = state["progress"].tolist()
        return Progress(step, examples, global_batch)

    def save(self, progress: Progress, attempt: int, keep: int) -> tuple[str, list[str]]:
        """Save the state into a fresh folder, then delete what is no longer needed.

        Args:
            progress: How far the run has come.
            attempt: Start of the job, counted from 1.
            keep: Good checkpoints to keep.

        Returns:
            The folder's name, and the names of the folders that were deleted.

        Raises:
            OSError: The disk is full or cannot be written.
            RuntimeError: A rank could not write its part.
        """
        world = self._world
        name = world.share(claim_folder(self._root, progress.step, attempt) if world.rank == 0 else None)
        folder = self._root / name
        with _as_error(f"cannot save {name}"):
            dcp.save(self._state(progress, with_random=True), checkpoint_id=folder)
        digests = world.collect(digest_files(folder, self._own_files(folder)))
        deleted: list[str] = []
        if world.rank == 0:
            files = {file: digest for part in digests for file, digest in part.items()}
            write_manifest(folder, files, progress.step, world.size)
            deleted = retire(self._root, keep, self._distrusted)
        return name, world.share(deleted)

    def _own_files(self, folder: Path) -> list[str]:
        """Return the files that this rank hashes: its own, and on rank 0 those of nobody."""
        names = [path.name for path in folder.iterdir()]
        shards = [name for name in names if name.startswith("__")]
        own = [name for name in shards if name.startswith(f"__{self._world.rank}_")]
        return own + ([name for name in names if name not in shards] if self._world.rank == 0 else [])

    def _state(self, progress: Progress, with_random: bool) -> dict[str, Any]:
        state = {
            "model": get_model_state_dict(self._model),
            "optimizer": get_optimizer_state_dict(self._model, self._optimizer),
            "progress": torch.tensor([progress.step, progress.examples, progress.global_batch]),
        }
        if with_random:
            # under the rank's own key: under one key DCP would keep a single rank's
            state["random"] = {str(self._world.rank): random_state(self._world.device)}
        return state


def random_state(device: torch.device) -> dict[str, torch.Tensor]:
    """Return the state of this rank's generators (dropout draws from them)."""
    state = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    return state


def set_random_state(state: dict[str, torch.Tensor], device: torch.device) -> None:
    """Put this rank's generators back."""
    torch.set_rng_state(state["cpu"])
    if device.type == "cuda":
        torch.cuda.set_rng_state(state["cuda"], device)


@contextmanager
def _as_error(what: str) -> Iterator[None]:
    """Turn DCP's exception, which is no `Exception`, into one that reaches the error file."""
    try:
        yield
    except CheckpointException as error:
        causes = "; ".join(f"rank {rank}: {failure[0]}" for rank, failure in sorted(error.failures.items()))
        raise RuntimeError(f"{what}: {causes}") from error
