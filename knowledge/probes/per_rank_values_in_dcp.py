"""Values that differ between ranks under one key: DCP keeps one of them for all; a key for each rank keeps all."""

import random

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


def probe(rank, world_size):
    """Save random-number states and data positions under one key and under keys with the rank."""
    torch.manual_seed(10 + rank)
    mine = torch.get_rng_state()
    random.seed(rank)
    position = {"sample": 100 * (rank + 1)}
    dcp.save({"rng": mine, "data": position}, checkpoint_id="shared")
    keyed = {f"rng_{rank}": mine, f"data_{rank}": position}
    dcp.save(keyed, checkpoint_id="keyed")
    shared = {"rng": torch.zeros_like(mine), "data": {"sample": 0}}
    dcp.load(shared, checkpoint_id="shared")
    seen = [None] * world_size
    dist.all_gather_object(seen, shared["data"]["sample"])
    assert seen[0] == seen[1], seen
    assert seen[0] in (100, 200), seen
    equal = [None] * world_size
    dist.all_gather_object(equal, torch.equal(shared["rng"], mine))
    assert sorted(equal) == [False, True], "one rank gets its own state back, the other a foreign one"
    keyed = {f"rng_{rank}": torch.zeros_like(mine), f"data_{rank}": {"sample": 0}}
    dcp.load(keyed, checkpoint_id="keyed")
    assert torch.equal(keyed[f"rng_{rank}"], mine)
    assert keyed[f"data_{rank}"]["sample"] == 100 * (rank + 1)
    return {"one key": "both ranks get the same value", "a key for each rank": "each gets its own"}
