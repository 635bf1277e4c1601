from torch.distributed.fsdp import fully_shard


class Loop:
    def __init__(self, net, optimizer, accumulate: int):
        self.net, self.optimizer, self.accumulate = fully_shard(net), optimizer, accumulate

    def micro(self, index, batch):
        boundary = index + 1 == self.accumulate
        self.net.set_requires_gradient_sync(boundary)
        self.net(batch).sum().backward()
        return boundary

    def run(self, batches, spoiled):
        for index, batch in enumerate(batches):
            boundary = index + 1 == self.accumulate
            self.net.set_requires_gradient_sync(boundary)
            self.net(batch).sum().backward()
            if spoiled(batch) and not boundary:
                self.optimizer.zero_grad(set_to_none=True)  # <- FSDP083
        self.optimizer.step()
        self.optimizer.zero_grad()
