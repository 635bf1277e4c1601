import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.fsdp import fully_shard


class Run:
    def __init__(self, net):
        fully_shard(net)
        self.fast = torch.compile(net, mode="max-autotune")

    def save(self, path):
        dcp.save({"model": self.fast.state_dict()}, checkpoint_id=path)  # <- FSDP049
