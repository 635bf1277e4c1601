"""Dry run: real `fully_shard` on tensors without memory, for a world of any size, in one process.

    python fsdp_dryrun.py --config config.json

Runs whole training steps on fake tensors with a process group that does nothing, and
writes each allocation with its stream to `trace-N.jsonl` (N layers) in the run folder; what
the caching allocator would make of it is computed elsewhere. On a machine with a GPU,
`"device": "cuda"` runs the same steps with real tensors, and the allocator's own
counters are the result. Exit code 2: the configuration cannot be run.
"""

import argparse
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from fsdp_dryrun_config import Dryrun, read_dryrun
from fsdp_sft_config import ConfigError
from fsdp_sft_rundir import write_json

FORMAT = 1
"""Version of the trace's form."""


def main(argv: list[str] | None = None) -> int:
    """Run, write the result, and return the exit code."""
    parser = argparse.ArgumentParser(description="Dry run; see the module's docstring")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--user-code", action="store_true", help="the model comes from code of the user's")
    arguments = parser.parse_args(argv)
    folder = Path(os.environ.get("FSDP_RUN_DIR", "."))
    try:
        run = read_dryrun(arguments.config)
        if run.factory and not arguments.user_code:
            raise ConfigError("a factory is code of the user's: it runs with --user-code only")
        found = on_cuda(run) if run.device == "cuda" else on_fakes(run, folder)
    except ConfigError as error:
        print(f"fsdp_dryrun: {error}", file=sys.stderr)
        return 2
    write_json(folder / "result.json", {"status": "done", **found})
    return 0


def on_fakes(run: Dryrun, folder: Path) -> dict[str, Any]:
    """Run on fake tensors, for each number of layers, and write the traces.

    Raises:
        ConfigError: The configuration cannot be run.
    """
    traces = []
    for layers in run.layers or (None,):
        fresh = folder / ".trace.jsonl"
        facts = trace_run(run, layers, fresh)
        name = f"trace-{facts['layers']}.jsonl"
        fresh.replace(folder / name)
        traces.append(facts | {"file": name})
    return {"traces": traces}


def trace_run(run: Dryrun, layers: int | None, file: Path) -> dict[str, Any]:
    """Run the steps on fake tensors, write the trace and return what was run.

    Raises:
        ConfigError: The configuration cannot be run.
    """
    import torch
    from fsdp_dryrun_card import NAME, fake_world
    from fsdp_dryrun_kernels import cuda_choices
    from fsdp_dryrun_model import build_model, shard_model, start_states, whole_rows
    from fsdp_dryrun_recorder import Recorder
    from fsdp_dryrun_step import Trainer
    from torch._subclasses.fake_tensor import FakeTensorMode

    card = _card()
    device = torch.device(NAME, 0)
    with fake_world(run.ranks), whole_rows(), cuda_choices(), open(file, "w", encoding="utf-8") as stream:
        mesh = _mesh(NAME, run)
        model = build_model(run, layers)
        with FakeTensorMode(allow_non_fake_inputs=True):
            blocks = shard_model(model, mesh, run, device)
            streams = start_states(model)
            recorder = Recorder(stream, card)
            trainer = Trainer(model, blocks, run, recorder, device)
            facts = {"torch": torch.__version__, "model": type(model).__name__, "layers": len(blocks)}
            facts["params"] = sum(parameter.numel() for parameter in model.parameters())
            recorder.head({"format": FORMAT, **facts})
            recorder.see(_held(model))
            with recorder:
                for _ in range(run.steps):
                    trainer.step()
            recorder.foot({"end": True, "streams": {str(number): name for number, name in streams.items()}})
    return facts


def on_cuda(run: Dryrun) -> dict[str, Any]:
    """Run on one real GPU with a process group that does nothing, and ask the allocator.

    Values are meaningless, sizes are not: a rank's memory does not depend on them.

    Raises:
        ConfigError: There is no GPU, or the configuration cannot be run.
    """
    import torch
    from fsdp_dryrun_card import fake_world
    from fsdp_dryrun_model import build_model, shard_model
    from fsdp_dryrun_step import Trainer

    if not torch.cuda.is_available():
        raise ConfigError("device cuda: this Python's torch sees no GPU")
    device, reserved = torch.device("cuda", 0), []
    with fake_world(run.ranks):
        model = build_model(run)
        blocks = shard_model(model, _mesh("cuda", run), run, device)
        torch.cuda.reset_peak_memory_stats(device)
        trainer = Trainer(model, blocks, run, _Silent(), device)
        for _ in range(run.steps):
            trainer.step()
            reserved.append(torch.cuda.max_memory_reserved(device))
        measured = {
            "active_bytes": torch.cuda.max_memory_allocated(device),
            "reserved_bytes": reserved[-1],
            "step1_reserved_bytes": reserved[0],
        }
    facts = {"torch": torch.__version__, "model": type(model).__name__, "layers": len(blocks)}
    return {"measured": measured, "gpu": torch.cuda.get_device_name(device), **facts}


class _Silent:
    """Where nothing is noted: the allocator counts by itself."""

    def mark(self, phase: str) -> None:
        """Do nothing."""

    def end_step(self) -> None:
        """Do nothing."""


def _card() -> Any:
    """Return the fake device, inserted on first use."""
    import torch
    from fsdp_dryrun_card import NAME, insert_card

    return getattr(torch, NAME) if hasattr(torch, NAME) else insert_card()


def _mesh(kind: str, run: Dryrun) -> Any:
    from torch.distributed.device_mesh import init_device_mesh

    if run.dp_replicate > 1:
        return init_device_mesh(kind, (run.dp_replicate, run.dp_shard), mesh_dim_names=("replicate", "shard"))
    return init_device_mesh(kind, (run.dp_shard,), mesh_dim_names=("shard",))


def _held(model: Any) -> Any:
    """Yield the local tensors of parameters and buffers, in the model's order."""
    for tensor in (*model.parameters(), *model.buffers()):
        yield getattr(tensor, "_local_tensor", tensor)


if __name__ == "__main__":
    try:
        exit_code = main()
    except Exception:
        traceback.print_exc()
        exit_code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(exit_code)
