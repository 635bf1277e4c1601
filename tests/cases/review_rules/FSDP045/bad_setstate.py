import torch
import torch.distributed as dist
import torch.distributed.checkpoint.state_dict as sd
def load(model, path):
    weights = {}
    if not dist.get_rank():
        weights = torch.load(path, map_location="cpu", mmap=True)
    return sd.set_model_state_dict(model, weights, options=sd.StateDictOptions(full_state_dict=True, strict=False))  # <- FSDP045
