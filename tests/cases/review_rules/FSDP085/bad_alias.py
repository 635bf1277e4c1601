import torch
from torch.distributed import fsdp


class Run:
    offload = fsdp.CPUOffload(True)

    def __init__(self, net, policy):
        self.net = fsdp.FullyShardedDataParallel(net, auto_wrap_policy=policy, cpu_offload=self.offload)  # <- FSDP085
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def train(self, loader):
        for index, x in enumerate(loader):
            self.net(x).sum().backward()
            if index % 8 == 7:
                self.optimizer.step()
                self.optimizer.zero_grad()
