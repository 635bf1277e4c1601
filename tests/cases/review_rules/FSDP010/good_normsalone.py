import torch
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
def main(build, mesh):
    model = build().to(torch.bfloat16)
    for m in model.modules():
        if isinstance(m, nn.LayerNorm):
            m.float()
    for m in model.modules():
        if isinstance(m, nn.LayerNorm):
            fully_shard(m, mesh=mesh)
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
