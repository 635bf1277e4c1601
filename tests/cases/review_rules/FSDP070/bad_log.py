import logging, torch
from torch.distributed.fsdp import fully_shard
log = logging.getLogger(__name__)
class T:
    def __init__(self, m, mesh):
        for b in m.blocks:
            fully_shard(b, mesh=mesh)
        self.m = fully_shard(m, mesh=mesh)
    def clip(self):
        return torch.nn.utils.clip_grad_norm_(self.m.parameters(), 1.0)
    def step(self, i):
        g = self.clip()
        metrics = {"gnorm": g}
        log.info("step %d gnorm %.3f", i, metrics["gnorm"])  # <- FSDP070
