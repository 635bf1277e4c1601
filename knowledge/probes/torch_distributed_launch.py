"""torch.distributed.launch still works, warns, and passes --local-rank where torchrun does not."""

import warnings

import torch.distributed.launch as launch
import torch.distributed.run as torchrun

PROCESS_GROUP = False
WORLD_SIZE = 1


def _command(module, *flags):
    return torchrun.config_from_args(module.parse_args([*flags, "--rdzv-endpoint=localhost:0", "train.py"]))[2]


def probe(rank, world_size):
    """Compare the commands, and catch the warning."""
    assert any(part.startswith("--local-rank=") for part in _command(launch)), _command(launch)
    assert not any("local-rank" in part for part in _command(launch, "--use-env"))
    assert not any("local-rank" in part for part in _command(torchrun))
    launch.launch = lambda _: None  # only the warning matters here
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        launch.main(["train.py"])
    texts = [str(entry.message) for entry in caught if entry.category is FutureWarning]
    assert any("torch.distributed.launch is deprecated" in text for text in texts), texts
    return {"torch.distributed.launch": "FutureWarning, --local-rank passed", "torchrun": "LOCAL_RANK only"}
