from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class T:
    def __init__(self, net):
        self.net = FSDP(net)
        total = 0
        for p in self.net.parameters():
            total += p.numel()  # <- FSDP018
        self.size = total
