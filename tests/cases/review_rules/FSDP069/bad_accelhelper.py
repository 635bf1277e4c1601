import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler as Scaler
def finish(scaler, opt, model, clip):
    if clip:
        model.clip_grad_norm_(clip)  # <- FSDP069
    scaler.step(opt)
    scaler.update()
    opt.zero_grad()
def main(build, loader):
    m = FSDP(build())
    opt = torch.optim.AdamW(m.parameters())
    s = Scaler()
    for x in loader:
        s.scale(m(x).mean()).backward()
        finish(s, opt, m, 1.0)
