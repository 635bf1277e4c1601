"""What stands around a job of the laboratory: held ports, damaged checkpoints, leftovers of earlier runs."""

import os
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from tests.flows.matrix.tiny import save_model, write_data

Surroundings = Callable[[Path], AbstractContextManager[dict[str, Any]]]

SAVER = textwrap.dedent(
    """\
    import sys
    import torch
    import torch.distributed.checkpoint as dcp

    width = int(sys.argv[1])
    model = torch.nn.Sequential(torch.nn.Linear(16, width), torch.nn.ReLU(), torch.nn.Linear(width, 16))
    for path in sys.argv[2:]:
        dcp.save({"model": model.state_dict()}, checkpoint_id=path, no_dist=True)
    """
)
LEFT = textwrap.dedent(
    """\
    import sys, time
    import torch.distributed as dist

    store = dist.TCPStore("127.0.0.1", 0, 2, is_master=True, wait_for_workers=False)
    print(store.port, flush=True)
    sys.stdin.read()  # it lasts as long as whoever started it
    """
)
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}


@contextmanager
def port_held(folder: Path) -> Iterator[dict[str, Any]]:
    """A port that another process listens on, as the script's argument."""
    with socket.create_server(("", 0)) as holder:
        yield {"script": {"args": [str(holder.getsockname()[1])]}}


def checkpoints(damage: Callable[[Path], None], width: int = 64) -> Surroundings:
    """Return a maker of two checkpoints, of which the newer one is damaged."""

    @contextmanager
    def around(folder: Path) -> Iterator[dict[str, Any]]:
        paths = [folder / "ckpt" / name for name in ("step-90", "step-100")]
        program = [sys.executable, "-c", SAVER, str(width), *map(str, paths)]
        subprocess.run(program, check=True, env=ENVIRONMENT, timeout=120)
        damage(paths[1])
        yield {}

    return around


def truncated(checkpoint: Path) -> None:
    """Cut its data file in half."""
    [shard] = checkpoint.glob("*.distcp")
    os.truncate(shard, shard.stat().st_size // 2)


def without_metadata(checkpoint: Path) -> None:
    """Take away what is written last."""
    (checkpoint / ".metadata").unlink()


def untouched(checkpoint: Path) -> None:
    """Leave it as it is."""


@contextmanager
def run_left_behind(folder: Path) -> Iterator[dict[str, Any]]:
    """Rank 0 of an earlier run, which nobody ended: its store listens at the port that is the script's argument."""
    program = [sys.executable, "-c", LEFT]
    with subprocess.Popen(program, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as rank:
        assert rank.stdout is not None
        try:
            yield {"script": {"args": [rank.stdout.readline().strip()]}}
        finally:
            rank.kill()


@contextmanager
def full_disk(folder: Path) -> Iterator[dict[str, Any]]:
    """A checkpoint folder in which rank 1's file takes nothing: what is written to it meets a full device."""
    (folder / "full").mkdir()
    (folder / "full" / "__1_0.distcp").symlink_to("/dev/full")
    yield {}


@contextmanager
def small_model(folder: Path) -> Iterator[dict[str, Any]]:
    """A model and data for a `train` job."""
    save_model(folder / "model")
    write_data(folder / "train.jsonl")
    yield {"model": {"path": str(folder / "model")}, "data": {"train": str(folder / "train.jsonl")}}


@contextmanager
def truncated_model(folder: Path) -> Iterator[dict[str, Any]]:
    """A model of which the weights were copied in part."""
    with small_model(folder) as changes:
        weights = folder / "model" / "model.safetensors"
        os.truncate(weights, weights.stat().st_size // 2)
        yield changes
