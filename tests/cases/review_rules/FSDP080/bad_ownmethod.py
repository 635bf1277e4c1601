import torch, torch.nn as nn
from torch.distributed.fsdp import fully_shard
class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(8, 4)
        self.dec = nn.Linear(4, 8)
    def loss(self, x):
        return (self.dec(self.enc(x)) - x).pow(2).mean()
    def forward(self, x):
        return self.dec(self.enc(x))
def main(loader, mesh):
    ae = AE()
    fully_shard(ae, mesh=mesh)
    opt = torch.optim.AdamW(ae.parameters())
    for x in loader:
        ae.loss(x).backward()  # <- FSDP080
        opt.step()
        opt.zero_grad()
