import copy

from torch.distributed.fsdp import fully_shard


def setup(model, config):
    fully_shard(model)
    state = copy.deepcopy(model.state_dict())
    return state, copy.deepcopy(config)
