"""Run several jobs one after the other on the same ranks: one torchrun instead of many.

    torchrun drive.py jobs.json

jobs.json is a list of {"config", "run_dir"}. A job that fails leaves `error.txt` in its
run folder. Beside each job's own files every rank leaves `seen-<rank>.json`: what it
read from the weight files and what it holds, counted here and not by the payload.
"""

import json
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "runners" / "payload"))

import fsdp_sft_weights
from fsdp_sft import leave
from fsdp_sft_config import parse_config
from fsdp_sft_launch import read_launch
from fsdp_sft_loop import Job
from fsdp_sft_rundir import RunDir
from fsdp_sft_world import World, open_world


class CountingFile:
    """A safetensors file that counts the elements that are read from it."""

    def __init__(self, stored, reads):
        self._stored, self._reads = stored, reads

    def __enter__(self):
        return CountingFile(self._stored.__enter__(), self._reads)

    def __exit__(self, *error):
        return self._stored.__exit__(*error)

    def keys(self):
        return self._stored.keys()

    def get_tensor(self, name):
        return self._counted(self._stored.get_tensor(name))

    def get_slice(self, name):
        return CountingSlice(self._stored.get_slice(name), self._counted)

    def _counted(self, tensor):
        self._reads.append(tensor.numel())
        return tensor


class CountingSlice:
    """A tensor in a file, of which rows are read."""

    def __init__(self, piece, counted):
        self._piece, self._counted = piece, counted

    def get_shape(self):
        return self._piece.get_shape()

    def __getitem__(self, rows):
        return self._counted(self._piece[rows])


def run_job(entry: dict, world: World) -> None:
    """Run one job and note what this rank saw."""
    folder = Path(entry["run_dir"])
    reads: list[int] = []
    real = fsdp_sft_weights.safe_open
    fsdp_sft_weights.safe_open = lambda *args, **more: CountingFile(real(*args, **more), reads)
    try:
        job = Job(parse_config(entry["config"]), world, RunDir(folder, world.rank, attempt=entry.get("attempt", 1)))
        local = sum(parameter.to_local().numel() for parameter in job.model.parameters())
        seen = {"read": sum(reads), "largest_read": max(reads), "local": local}
        (folder / f"seen-{world.rank}.json").write_text(json.dumps(seen))
        job.run()
    except Exception:
        (folder / "error.txt").write_text(traceback.format_exc())
    finally:
        fsdp_sft_weights.safe_open = real


def main() -> None:
    with open_world("cpu", read_launch()) as world:
        for entry in json.loads(Path(sys.argv[1]).read_text()):
            run_job(entry, world)
            world.share(None)


if __name__ == "__main__":
    main()
    leave(0)
