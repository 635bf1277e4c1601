"""Checkpoints of the whole training state: found again, loaded on any world size.

The state: sharded model and optimizer, progress (steps, examples consumed), and each
rank's random number state. The learning rate needs none: it is a function of the step.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed.checkpoint as dcp
from fsdp_sft_config import ConfigError
from fsdp_sft_loading import CheckedReader, RestrictedPlanner
from fsdp_sft_manifest import find_fault, list_folders, read_manifest
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
    root: Path | None = None
    """Folder that it is in; None: that of this run's checkpoints."""


class Checkpointer:
    """Finds and loads the state of one job. Every method is a collective."""

    def __init__(self, root: Path, world: World, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        """Keep what the state is made of.

        Args:
            root: Folder of the checkpoints.
            world: This process among the others.
            model: The sharded model.
            optimizer: Over its parameters.
        """
        self._root, self._world, self._model, self._optimizer = root, world, model, optimizer

    def find(self) -> Found:
        """Return the newest checkpoint that verifies; the ranks share the reading."""
        skipped: dict[str, str] = {}
        for name in self._world.share(list_folders(self._root)):
            fault = self._fault(self._root / name)
            if fault is None:
                return Found(name, skipped, self._written_by(self._root / name))
            skipped[name] = fault
        return Found(None, skipped)

    def start_from(self, folder: Path) -> Found:
        """Return the checkpoint of another run, checked like one of this run's own.

        Raises:
            ConfigError: It does not verify.
        """
        fault = self._fault(folder)
        if fault is not None:
            raise ConfigError(f"resume_from: {folder} is no whole checkpoint: {fault}")
        return Found(folder.name, {}, self._written_by(folder), folder.parent)

    def _fault(self, folder: Path) -> str | None:
        faults = self._world.collect(find_fault(folder, self._world.rank, self._world.size))
        return next((fault for fault in faults if fault is not None), None)

    def _written_by(self, folder: Path) -> int:
        ranks: int = self._world.share(read_manifest(folder)["world_size"])
        return ranks

    def load(self, found: Found) -> Progress:
        """Load a checkpoint in place; random number states only at the same world size.

        Raises:
            RuntimeError: It does not fit this model.
        """
        assert found.name is not None, "nothing to load"
        same_ranks = found.world_size == self._world.size
        state = self.state(Progress(), with_random=same_ranks)
        try:
            folder = (found.root or self._root) / found.name
            dcp.load(state, storage_reader=CheckedReader(folder), planner=RestrictedPlanner())
        except CheckpointException as error:  # which is no `Exception`, and would not reach the error file
            causes = "; ".join(f"rank {rank}: {failure[0]}" for rank, failure in sorted(error.failures.items()))
            raise RuntimeError(f"cannot load {found.name}: {causes}") from error
        set_model_state_dict(self._model, state["model"])
        set_optimizer_state_dict(self._model, self._optimizer, state["optimizer"])
        if same_ranks:
            set_random_state(state["random"][str(self._world.rank)], self._world.device)
        step, examples, global_batch = state["progress"].tolist()
        return Progress(step, examples, global_batch)

    def state(self, progress: Progress, *, with_random: bool = True) -> dict[str, Any]:
        """Return what is saved, and what is loaded into. A collective.

        Args:
            progress: How far the run has come.
            with_random: Whether this rank's random number states are part of it.
        """
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
