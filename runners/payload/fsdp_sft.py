"""Supervised fine-tuning of a Hugging Face causal language model with FSDP2.

    python -m torch.distributed.run --nproc-per-node=N fsdp_sft.py --config config.json

The run folder comes from FSDP_RUN_DIR, the number of the attempt from FSDP_ATTEMPT.
Exit codes: 0 done, or stopped as asked with a checkpoint; 2 the job cannot start from
what it was given; 1 anything else. The words used are those of FSDP: rank, world size,
shard, mesh, micro-batch, HSDP.
"""

import argparse
import os
import sys
from pathlib import Path

from fsdp_sft_config import Config, ConfigError, load_config
from fsdp_sft_rundir import RunDir, StopSignals


def main(argv: list[str] | None = None) -> int:
    """Read the configuration, run the job, and return the exit code."""
    parser = argparse.ArgumentParser(description="FSDP2 supervised fine-tuning; see the module's docstring")
    parser.add_argument("--config", type=Path, required=True, help="JSON file written by the plan")
    arguments = parser.parse_args(argv)
    try:
        config = load_config(arguments.config)
        run_folder = _run_folder()
        attempt = _attempt()
    except ConfigError as error:
        return _refuse(error)
    # before torch is imported: both are read when their libraries start
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    signals = StopSignals()
    signals.install()
    try:
        _run(config, run_folder, attempt, signals)
    except ConfigError as error:
        return _refuse(error)
    return 0


def _run(config: Config, run_folder: Path, attempt: int, signals: StopSignals) -> None:
    from fsdp_sft_loop import Job
    from fsdp_sft_world import open_world, rank_from_environment
    from torch.distributed.elastic.multiprocessing.errors import record

    @record
    def attempt_job() -> None:
        rundir = RunDir(run_folder, rank_from_environment(), attempt, signals)
        with rundir.phase("boot", 0), open_world(config.device) as world:
            Job(config, world, rundir).run()

    attempt_job()


def _run_folder() -> Path:
    name = os.environ.get("FSDP_RUN_DIR")
    if not name or not Path(name).is_dir():
        raise ConfigError(f"FSDP_RUN_DIR must name an existing folder, not {name!r}")
    return Path(name)


def _attempt() -> int:
    text = os.environ.get("FSDP_ATTEMPT", "1")
    if not text.isdecimal() or int(text) < 1:
        raise ConfigError(f"FSDP_ATTEMPT must be a whole number from 1, not {text!r}")
    return int(text)


def _refuse(error: ConfigError) -> int:
    """Say in one line what is wrong, also to torchrun, which reads an error file."""
    print(f"fsdp_sft: {error}", file=sys.stderr)
    if "TORCHELASTIC_ERROR_FILE" in os.environ:
        from torch.distributed.elastic.multiprocessing.errors import get_error_handler

        get_error_handler().record_exception(error)
    return 2


if __name__ == "__main__":
    sys.exit(main())
