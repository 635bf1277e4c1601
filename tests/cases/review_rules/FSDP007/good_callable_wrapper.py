from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
import torch.nn as nn

class Wrapper:
    def __init__(self, dev):
        self.dev = dev
        self.units = []
    def __call__(self, m):
        u = FSDP(m, device_id=self.dev)
        self.units.append(u)
        return u

def main(model, dev):
    w = Wrapper(dev)
    model.layers = nn.ModuleList(map(w, model.layers))
    model._modules["head"] = w(model.head)
    return w(model)
