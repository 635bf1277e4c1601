import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from ck import save
def main(build, loader):
    m = FSDP(build())
    opt = torch.optim.AdamW(m.parameters())
    for i, x in enumerate(loader):
        opt.zero_grad()
        m(x).mean().backward()
        opt.step()
        save(f"{i}.pt", m, opt, i)
