import torch
from torch.distributed.fsdp import fully_shard
class Sharder:
    def __init__(self, mesh):
        self.opts = {"mesh": mesh}
    def shard_stack(self, stack):
        for layer in stack:
            fully_shard(layer, **self.opts)  # <- FSDP009
def main(build, cfg, mesh, loader):
    gpt = build(cfg)
    s = Sharder(mesh)
    s.shard_stack(gpt.transformer.h)
    optim = torch.optim.AdamW(gpt.parameters(), lr=3e-4)
    for x in loader:
        gpt(x).mean().backward()
        optim.step()
        optim.zero_grad()
