from torch.distributed.fsdp import fully_shard


class Steps:
    def __init__(self, net, parts):
        self.net, self.parts = fully_shard(net), parts

    def one(self, batches, optimizer):
        for part in reversed(range(self.parts)):
            self.net.set_requires_gradient_sync(part == 0)
            self.net(next(batches)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    def all(self, batches, optimizer):
        for count, batch in enumerate(batches, start=1):
            self.net.set_requires_gradient_sync(count % self.parts == 0)
            self.net(batch).sum().backward()
            if count % self.parts == 0:
                optimizer.step()
                optimizer.zero_grad()
