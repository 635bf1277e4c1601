import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import get_model_state_dict, StateDictOptions
def main_only(fn):
    def inner(*a, **k):
        if dist.get_rank() == 0:
            return fn(*a, **k)
    return inner
@main_only
def export(model):
    return get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))  # <- FSDP040
