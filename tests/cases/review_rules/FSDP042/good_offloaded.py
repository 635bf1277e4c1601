from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, set_model_state_dict
from torch.distributed.fsdp import FullStateDictConfig


def state(model, full):
    FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
    set_model_state_dict(model, full, options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=True))
    return get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
