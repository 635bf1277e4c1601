import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def main(model, policy, path):
    if dist.get_rank() == 0:
        model.load_state_dict(torch.load(path))
    vocabulary = torch.load(path + ".vocab")
    return FSDP(model, auto_wrap_policy=policy, sync_module_states=True, device_id=0), vocabulary
