"""torch.save of an FSDP2 state dict stores this rank's shard: good for the same ranks, lost from rank 0 alone."""

import torch
import torch.distributed as dist
from _lab import Net, raises, shard
from torch.distributed.tensor import DTensor

PROCESS_GROUP = False


def probe(rank, world_size):
    """Save per rank, reload per rank; then load rank 0's file without a process group."""
    dist.init_process_group("gloo", store=dist.FileStore("store", world_size), rank=rank, world_size=world_size)
    torch.manual_seed(1)
    net = shard(Net())
    torch.save(net.state_dict(), f"shard-{rank}.pt")
    torch.manual_seed(2)
    again = shard(Net())
    before = again.head.weight.to_local().clone()
    again.load_state_dict(torch.load(f"shard-{rank}.pt", weights_only=True))
    assert torch.equal(again.head.weight.to_local(), net.head.weight.to_local())
    assert not torch.equal(before, again.head.weight.to_local())
    dist.barrier()
    dist.destroy_process_group()
    state = torch.load("shard-0.pt", weights_only=True)  # no process group any more
    weight = state["head.weight"]
    assert isinstance(weight, DTensor)
    assert weight.shape == (8, 8)
    assert weight.to_local().shape == (4, 8)
    message = raises(RuntimeError, "mixed torch.Tensor and DTensor", lambda: Net().load_state_dict(state))
    return {
        "same ranks": "restored",
        "rank 0's file alone": "loads, half of each tensor",
        "into a plain model": message.splitlines()[0][:60],
    }
