import torch
from torch.distributed.fsdp import fully_shard
class G:
    def __init__(self, net, mesh):
        for b in net.blocks:
            fully_shard(b, mesh=mesh)
        fully_shard(net, mesh=mesh)
        self.net = net
    def grad_rms(self):
        grads = [p.grad for p in self.net.parameters() if p.grad is not None]
        return {i: float(g.pow(2).mean()) for i, g in enumerate(grads)}  # <- FSDP072
