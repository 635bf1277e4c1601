import torch
from torch.optim.swa_utils import AveragedModel
from torch.distributed.fsdp import fully_shard
import copy
def target(net):
    snapshot = copy.deepcopy(net)  # <- FSDP011
    return snapshot.eval()
class Agent:
    def __init__(self, net, mesh):
        self.q = net
        for b in self.q.trunk:
            fully_shard(b, mesh=mesh)
        fully_shard(self.q, mesh=mesh)
        self.tgt = target(self.q)
