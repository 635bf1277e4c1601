import os
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def should_stop(path):
    flag = torch.zeros(1, device="cuda")
    if dist.get_rank() == 0 and os.path.exists(path):
        flag.fill_(1)
    dist.broadcast(flag, src=0)
    return bool(flag.item())


def main(net, it):
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters())
    for x in it:
        net(x).mean().backward()
        opt.step()
        opt.zero_grad()
        if should_stop("/tmp/stop"):
            break
