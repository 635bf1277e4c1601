import torch
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard


def before(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu"))
    fully_shard(model)


def by_dcp(model, path):
    fully_shard(model)
    state = torch.load(path, mmap=True)
    set_model_state_dict(model, state, options=StateDictOptions(full_state_dict=True))


def fsdp1(model, path, policy):
    model = FSDP(model, auto_wrap_policy=policy)
    model.load_state_dict(torch.load(path, map_location="cpu"))
