"""deepcopy of a sharded model fails, and so does AveragedModel; copying before sharding works."""

import copy

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.optim.swa_utils import AveragedModel


def probe(rank, world_size):
    """Copy after and before, for both generations."""
    net = shard(Net())
    message = raises(AssertionError, "does not support deepcopy", lambda: copy.deepcopy(net))
    raises(AssertionError, "does not support deepcopy", lambda: AveragedModel(net))
    original = Net()
    twin = shard(copy.deepcopy(original))
    shard(original)
    twin.load_state_dict(original.state_dict())
    x = batch(rank)
    with torch.no_grad():
        assert torch.equal(original(x), twin(x))
    one = FSDP(Net(), device_id=torch.device("cpu"), use_orig_params=True)
    one(batch(rank)).sum().backward()
    old = raises(Exception, "", lambda: copy.deepcopy(one))
    return {"FSDP2": message, "FSDP1": old[:60], "copied before": "equal"}
