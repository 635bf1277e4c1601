import torch
from torch.distributed.fsdp import fully_shard
class T:
    def __init__(self, net, mesh, cfg):
        self.net, self.mesh, self.cfg = net, mesh, cfg
    def wrap(self):
        for b in self.net.layers:
            fully_shard(b, mesh=self.mesh)
        fully_shard(self.net, mesh=self.mesh)
    def resume(self):
        ck = torch.load(self.cfg.resume, weights_only=True)
        self.net.load_state_dict(ck["state"], strict=True)  # <- FSDP043
    def run(self):
        self.wrap()
        if self.cfg.resume:
            self.resume()
