import copy
import torch
from torch.distributed.fsdp import fully_shard
class EMA:
    def __init__(self, model, decay):
        self.shadow = copy.deepcopy(model)  # <- FSDP011
        self.decay = decay
def main(build, mesh):
    model = build()
    for l in model.layers:
        fully_shard(l, mesh=mesh)
    fully_shard(model, mesh=mesh)
    ema = EMA(model, 0.999)
    return model, ema
