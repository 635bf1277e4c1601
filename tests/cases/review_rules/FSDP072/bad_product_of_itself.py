import math
import torch
from torch.distributed.fsdp import fully_shard


@torch.no_grad()
def param_rms(net):
    out = {}
    for name, p in net.named_parameters():
        n2 = torch.sum(p * p)
        out[name] = math.sqrt(n2.item() / p.numel())  # <- FSDP072
    return out


def run(net, dl, writer):
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters())
    for i, x in enumerate(dl):
        net(x).mean().backward()
        opt.step()
        opt.zero_grad()
        for k, v in param_rms(net).items():
            writer.add_scalar(k, v, i)
