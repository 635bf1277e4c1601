import torch
from torch.distributed import fsdp


def place(net, device):
    return net.to_empty(device=device)  # <- FSDP101


class Run:
    def __init__(self, make, device):
        with torch.device("meta"):
            net = make()
        for layer in net.layers:
            fsdp.fully_shard(layer)
        fsdp.fully_shard(net)
        self.net = place(net, device)
        self.optimizer = torch.optim.AdamW(self.net.parameters())
