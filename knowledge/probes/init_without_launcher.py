"""init_process_group without a launcher's variables, and a second initialisation."""

import os

import torch.distributed as dist
from _lab import raises

PROCESS_GROUP = False
WORLD_SIZE = 1


def probe(rank, world_size):
    """Initialise with each variable missing, with explicit arguments, and twice."""
    names = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
    for name in names:
        value = os.environ.pop(name)
        expected = f"environment variable {name} expected, but not set"
        raises(ValueError, expected, lambda: dist.init_process_group("gloo"))
        os.environ[name] = value
    assert not dist.is_initialized()
    for name in names:
        del os.environ[name]
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    assert dist.get_world_size() == 1
    raises(
        ValueError,
        "trying to initialize the default process group twice",
        lambda: dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1),
    )
    dist.destroy_process_group()
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)  # after destroying: fine
    dist.destroy_process_group()
    return {"each variable missing": "ValueError naming it", "second call": "ValueError, unless destroyed before"}
