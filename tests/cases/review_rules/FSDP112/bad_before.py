from torch import compile as fast
from torch.distributed.fsdp import fully_shard


class Run:
    def __init__(self, net):
        self.net = fast(net)  # <- FSDP112
        fully_shard(self.net)
