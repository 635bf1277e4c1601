"""How torchrun builds the command of a worker: script, module, and where its own flags end."""

import torch.distributed.run as torchrun

PROCESS_GROUP = False
WORLD_SIZE = 1


def _command(*words):
    return torchrun.config_from_args(torchrun.parse_args(["--rdzv-endpoint=localhost:0", *words]))[2]


def probe(rank, world_size):
    """Read the command for a script, for a module and for flags in the wrong place."""
    assert _command("train.py", "--lr", "1") == ["-u", "train.py", "--lr", "1"]
    assert _command("-m", "pkg.train", "--lr", "1") == ["-u", "-m", "pkg.train", "--lr", "1"]
    late = torchrun.parse_args(["train.py", "--nproc-per-node=2"])
    assert (late.nproc_per_node, late.training_script_args) == ("1", ["--nproc-per-node=2"])
    return {"flag after the script": "goes to the script, torchrun keeps its default"}
