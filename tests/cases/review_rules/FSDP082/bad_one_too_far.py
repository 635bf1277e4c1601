from torch.distributed.fsdp import fully_shard


class Loop:
    def __init__(self, net, micro_batches):
        self.net, self.micro_batches = fully_shard(net), micro_batches

    def run(self, batches, optimizer):
        for index, batch in enumerate(batches):
            self.net.set_requires_gradient_sync(index == self.micro_batches, recurse=True)  # <- FSDP082
            self.net(batch).sum().backward()
            if index == self.micro_batches - 1:
                optimizer.step()
                optimizer.zero_grad()
