import torch
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import distribute_tensor


def main(model, path):
    fully_shard(model)
    own = model.state_dict()
    state = {}
    for name, value in torch.load(path, mmap=True).items():
        state[name] = distribute_tensor(value, own[name].device_mesh, own[name].placements)
    model.load_state_dict(state, assign=True)
