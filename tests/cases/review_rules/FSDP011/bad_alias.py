from copy import deepcopy as clone
from torch.distributed.fsdp import fully_shard
class Learner:
    def __init__(self, policy, mesh):
        self.policy = self._wrap(policy, mesh)
        self.reference = self._frozen()
    def _wrap(self, m, mesh):
        for b in m.blocks:
            fully_shard(b, mesh=mesh)
        return fully_shard(m, mesh=mesh)
    def _frozen(self):
        ref = clone(self.policy).eval()  # <- FSDP011
        return ref.requires_grad_(False)
