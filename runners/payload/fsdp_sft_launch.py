"""What the launcher and the runner say through the environment. Standard library only."""

import os
from dataclasses import dataclass
from pathlib import Path

from fsdp_sft_config import ConfigError


@dataclass(frozen=True)
class Launch:
    """Where this process stands, and where it reports."""

    rank: int
    """Rank of this process among all (RANK)."""
    world_size: int
    """Ranks in all (WORLD_SIZE)."""
    local_rank: int
    """Rank among those of this machine (LOCAL_RANK)."""
    run_dir: Path
    """The run folder (FSDP_RUN_DIR)."""
    attempt: int
    """Start of the job, counted from 1 (FSDP_ATTEMPT; 1 where it is not set)."""


def read_launch() -> Launch:
    """Read the environment.

    Raises:
        ConfigError: The process was not started by torchrun, or the runner's variables are wrong.
    """
    missing = [name for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK") if name not in os.environ]
    if missing:
        raise ConfigError(f"{', '.join(missing)} not set: start the job with python -m torch.distributed.run")
    run_dir = os.environ.get("FSDP_RUN_DIR")
    if not run_dir or not Path(run_dir).is_dir():
        raise ConfigError(f"FSDP_RUN_DIR must name an existing folder, not {run_dir!r}")
    attempt = os.environ.get("FSDP_ATTEMPT", "1")
    if not attempt.isdecimal() or int(attempt) < 1:
        raise ConfigError(f"FSDP_ATTEMPT must be a whole number from 1, not {attempt!r}")
    rank, world_size, local_rank = (int(os.environ[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
    return Launch(rank, world_size, local_rank, Path(run_dir), int(attempt))
