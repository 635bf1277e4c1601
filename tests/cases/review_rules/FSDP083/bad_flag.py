from torch.distributed.fsdp import fully_shard


class Run:
    def __init__(self, net, opt):
        self.net = fully_shard(net)
        self.opt = opt

    def train(self, loader, skip):
        for index, x in enumerate(loader):
            self.net.set_requires_gradient_sync(index % 4 == 3)
            self.net(x).sum().backward()
            if index in skip:
                self.opt.zero_grad(set_to_none=True)  # <- FSDP083
                continue
            if index % 4 == 3:
                self.opt.step()
                self.opt.zero_grad()
