"""A checkpoint of a run as a Hugging Face folder, written by as many ranks as are wanted.

    python -m torch.distributed.run --nproc-per-node=N fsdp_export.py --config config.json

The ranks verify the checkpoint, load it into the sharded model (DCP reshards, so their
number need not be that of the training) and gather one tensor at a time. A folder that
exists is never replaced. Exit codes: 0 done; 2 it cannot be exported as asked; 1 else.
"""

import argparse
import json
import os
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsdp_sft_config import Config, ConfigError, parse_recipe
from fsdp_sft_launch import read_launch
from fsdp_sft_manifest import find_fault, read_manifest
from fsdp_sft_rundir import RunDir
from fsdp_sft_space import EXPORT_BYTES_PER_PARAMETER, shortage

_KEYS = {"model", "device", "recipe", "checkpoint", "target"}


@dataclass(frozen=True)
class Export:
    """What was asked for."""

    training: Config
    """Model folder, device and recipe of the training; it has no data."""
    checkpoint: Path
    """The step folder."""
    target: Path
    """The folder to write; it must not exist, its parent must."""


def load_export(path: Path) -> Export:
    """Read and check the configuration file.

    Raises:
        ConfigError: It cannot be read, or asks for what cannot be done.
    """
    try:
        raw: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read the configuration {path}: {error}") from error
    if not isinstance(raw, dict) or set(raw) != _KEYS:
        raise ConfigError(f"{path} must be a JSON object with {', '.join(sorted(_KEYS))}")
    names = ("model", "checkpoint", "target")
    if not all(isinstance(raw[name], str) and Path(raw[name]).is_absolute() for name in names):
        raise ConfigError("model, checkpoint and target must be absolute paths")
    if raw["device"] not in ("cpu", "cuda"):
        raise ConfigError(f"device must be cpu or cuda, not {raw['device']!r}")
    model, checkpoint, target = (Path(raw[name]) for name in names)
    if os.path.lexists(target):
        raise ConfigError(f"{target} exists; name a folder that does not")
    if not target.parent.is_dir():
        raise ConfigError(f"there is no folder {target.parent}")
    training = Config(model, Path(os.devnull), device=raw["device"], recipe=parse_recipe(raw["recipe"]))
    return Export(training, checkpoint, target)


def export(asked: Export) -> None:
    """Verify, load, write. A collective.

    Raises:
        ConfigError: The checkpoint does not verify, there is no room, or the model cannot be built.
        RuntimeError: The checkpoint does not fit the model.
    """
    from fsdp_sft_export import export_model
    from fsdp_sft_model import load_model, load_tokenizer
    from fsdp_sft_world import open_world

    launch = read_launch()
    rundir = RunDir(launch.run_dir, launch.rank, launch.attempt)
    with rundir.phase("boot", 0), open_world(asked.training.device, launch) as world:
        faults = world.collect(find_fault(asked.checkpoint, world.rank, world.size))
        if fault := next(filter(None, faults), None):
            raise ConfigError(f"{asked.checkpoint} is no whole checkpoint: {fault}")
        step: int = read_manifest(asked.checkpoint)["step"]
        tokenizer = load_tokenizer(asked.training.model)
        model, _ = load_model(asked.training, world)
        parameters = sum(parameter.numel() for parameter in model.parameters())
        rundir.event("boot", 0, {"world_size": world.size, "parameters": parameters})
        lacking = world.share(shortage(asked.target.parent, parameters * EXPORT_BYTES_PER_PARAMETER))
        if lacking:
            raise ConfigError(lacking)
        with rundir.phase("export", step):
            _load_weights(model, asked.checkpoint)
            export_model(model, tokenizer, asked.training.model, asked.target, world)
        rundir.event("export", step, {"path": str(asked.target), "checkpoint": asked.checkpoint.name})
        rundir.result("done", step, None, asked.target)
        world.share(None)


def _load_weights(model: Any, checkpoint: Path) -> None:
    import torch.distributed.checkpoint as dcp
    from fsdp_sft_loading import CheckedReader, RestrictedPlanner
    from torch.distributed.checkpoint.api import CheckpointException
    from torch.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict

    state = {"model": get_model_state_dict(model)}
    try:
        dcp.load(state, storage_reader=CheckedReader(checkpoint), planner=RestrictedPlanner())
    except CheckpointException as error:  # which is no `Exception`
        causes = "; ".join(f"rank {rank}: {failure[0]}" for rank, failure in sorted(error.failures.items()))
        raise RuntimeError(f"cannot load {checkpoint.name}: {causes}") from error
    set_model_state_dict(model, state["model"])


def main(argv: list[str] | None = None) -> int:
    """Read the configuration, export, and return the exit code."""
    parser = argparse.ArgumentParser(description="Export a checkpoint; see the module's docstring")
    parser.add_argument("--config", type=Path, required=True, help="JSON file written by the agent")
    arguments = parser.parse_args(argv)
    try:
        asked = load_export(arguments.config)
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        from torch.distributed.elastic.multiprocessing.errors import record

        record(export)(asked)
    except ConfigError as error:
        print(f"fsdp_export: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        exit_code = main()
    except Exception:
        traceback.print_exc()
        exit_code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    # as in fsdp_sft: a thread of gloo may abort an interpreter that goes away
    os._exit(exit_code)
