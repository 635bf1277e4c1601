import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def tools(cfg):
    return {"scaler": torch.GradScaler("cuda")}  # <- FSDP063
def main(net, loader, cfg):
    net = FSDP(net)
    opt = torch.optim.AdamW(net.parameters())
    t = tools(cfg)
    for x in loader:
        opt.zero_grad()
        t["scaler"].scale(net(x).mean()).backward()
        t["scaler"].step(opt)
        t["scaler"].update()
