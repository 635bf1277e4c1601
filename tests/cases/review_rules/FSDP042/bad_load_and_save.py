import torch
from torch.distributed.fsdp import FullStateDictConfig, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def resume_and_copy(model, path):
    saved = torch.load(path, map_location="cpu", mmap=True)
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=False)):  # <- FSDP042
        model.load_state_dict(saved["model"])
        return {name: value.clone() for name, value in model.state_dict().items()}
