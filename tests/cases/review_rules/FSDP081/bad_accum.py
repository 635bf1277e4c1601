import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(m, loader, cfg):
    m = FSDP(m, use_orig_params=True)
    opt = torch.optim.AdamW(m.parameters())
    for i, x in enumerate(loader):
        loss = m(x).mean() / cfg.accum
        loss.backward()  # <- FSDP081
        if (i + 1) % cfg.accum:
            continue
        opt.step()
        opt.zero_grad()
