import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.fsdp import fully_shard
def main(model, mesh, path):
    for i, b in enumerate(model.layers):
        model.layers[i] = torch.compile(b)
    for b in model.layers:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    dcp.save({"model": model.state_dict()}, checkpoint_id=path)  # <- FSDP049
