from torch.distributed.fsdp import fully_shard


class Run:
    def __init__(self, net, accum):
        self.net = fully_shard(net)
        self.accum = accum

    def train(self, loader, optimizer):
        for index, x in enumerate(loader):
            is_last = (index + 2) % self.accum == 0  # <- FSDP082
            self.net.set_requires_gradient_sync(is_last)
            self.net(x).sum().backward()
            if (index + 1) % self.accum == 0:
                optimizer.step()
                optimizer.zero_grad()
