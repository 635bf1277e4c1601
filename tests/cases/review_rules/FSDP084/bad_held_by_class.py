from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, dev):
        super().__init__()
        self.enc = FSDP(nn.Linear(3, 3), device_id=dev)
        self.dec = nn.Linear(3, 3)

def main(dev, loader):
    net = Net(dev)
    model = FSDP(net, device_id=dev)
    for i, b in enumerate(loader):
        with net.enc.no_sync():  # <- FSDP084
            model(b).backward()
