import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import distribute_tensor


def own_shards(model, path):
    fully_shard(model)
    model.load_state_dict(torch.load(f"{path}/rank{dist.get_rank()}.pt"))


def distributed(model, path):
    fully_shard(model)
    state = torch.load(path, mmap=True)
    own = model.state_dict()
    state = {k: distribute_tensor(v, own[k].device_mesh, own[k].placements) for k, v in state.items()}
    model.load_state_dict(state)
