import torch
from torch.distributed.fsdp import fully_shard
def strip(sd, pre="_orig_mod."):
    out = {}
    for k, v in sd.items():
        out[k.replace(pre, "")] = v
    return out
def setup(build, path, mesh):
    model = build()
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    weights = torch.load(path, map_location="cpu", mmap=True, weights_only=True)
    model.load_state_dict(strip(weights))  # <- FSDP043
    return model
