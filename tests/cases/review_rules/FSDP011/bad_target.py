from copy import deepcopy as clone

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Agent:
    def __init__(self, policy_net, wrap):
        self.online = FSDP(policy_net, auto_wrap_policy=wrap)
        self.target = clone(self.online)  # <- FSDP011
