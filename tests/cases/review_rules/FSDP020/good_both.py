import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import StateDictType, fully_shard


def wrap(model, version):
    if version == 1:
        return FSDP(model)
    return fully_shard(model)


def state(model):
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        return model.state_dict()


def clip(model):
    if isinstance(model, FSDP):
        return model.clip_grad_norm_(1.0)
    return torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
