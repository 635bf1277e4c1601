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
import traceback
from pathlib import Path
from typing import NoReturn

from fsdp_sft_config import Config, ConfigError, load_config
from fsdp_sft_launch import Launch, read_launch
from fsdp_sft_rundir import RunDir, StopSignals
from fsdp_sft_stacks import offer_evidence


def main(argv: list[str] | None = None) -> int:
    """Read the configuration, run the job, and return the exit code."""
    parser = argparse.ArgumentParser(description="FSDP2 supervised fine-tuning; see the module's docstring")
    parser.add_argument("--config", type=Path, required=True, help="JSON file written by the plan")
    arguments = parser.parse_args(argv)
    try:
        config = load_config(arguments.config)
        launch = read_launch()
    except ConfigError as error:
        return _refuse(error)
    # before torch is imported: both are read when their libraries start
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    signals = StopSignals()
    signals.install()
    offer_evidence(launch.run_dir / "attempts" / f"{launch.attempt:04d}" / "diag", launch.rank)
    try:
        _run(config, launch, signals)
    except ConfigError as error:
        return _refuse(error)
    return 0


def _run(config: Config, launch: Launch, signals: StopSignals) -> None:
    from fsdp_sft_loop import Job
    from fsdp_sft_world import open_world
    from torch.distributed.elastic.multiprocessing.errors import record

    @record
    def attempt_job() -> None:
        rundir = RunDir(launch.run_dir, launch.rank, launch.attempt, signals)
        with rundir.phase("boot", 0), open_world(config.device, launch) as world:
            Job(config, world, rundir).run()

    attempt_job()


def _refuse(error: ConfigError) -> int:
    """Say in one line what is wrong, also to torchrun, which reads an error file."""
    print(f"fsdp_sft: {error}", file=sys.stderr)
    if "TORCHELASTIC_ERROR_FILE" in os.environ:
        from torch.distributed.elastic.multiprocessing.errors import get_error_handler

        get_error_handler().record_exception(error)
    return 2


def leave(code: int) -> NoReturn:
    """End the process at once, without tearing the interpreter down.

    A thread of gloo that still drops a tensor while the interpreter goes away aborts the
    process ("terminate called without an active exception", about 1 exit in 30 on a busy
    machine): a finished run would count as a failed one. All files are closed by now.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    try:
        exit_code = main()
    except Exception:
        traceback.print_exc()
        exit_code = 1
    leave(exit_code)
