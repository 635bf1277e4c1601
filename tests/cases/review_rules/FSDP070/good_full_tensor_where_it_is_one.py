import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class Log:
    def __init__(self):
        self.on = dist.get_rank() == 0

    def __call__(self, **kv):
        if self.on:
            print(" ".join(f"{k}={v:.4f}" for k, v in kv.items()))


def main(net, dl):
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters())
    log = Log()
    for x in dl:
        loss = net(x).mean()
        loss.backward()
        gn = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        gn = gn.full_tensor() if hasattr(gn, "full_tensor") else gn
        opt.step()
        opt.zero_grad()
        log(loss=loss.item(), gn=gn.item())
