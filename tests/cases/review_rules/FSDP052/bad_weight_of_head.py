import torch
from torch.distributed.fsdp import fully_shard


class Soup:
    def __init__(self, net, beta):
        self.net, self.beta = net, beta

    @torch.no_grad()
    def decay_head(self):
        self.net.lm_head.weight.mul_(self.beta)  # <- FSDP052


def loop(net, batches, opt_fn):
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    opt = opt_fn(net.parameters())
    soup = Soup(net, 0.99)
    for x in batches:
        with torch.no_grad():
            ref = net(x)
        soup.decay_head()
        loss = (net(x) - ref).pow(2).mean()
        loss.backward()
        opt.step()
        opt.zero_grad()
