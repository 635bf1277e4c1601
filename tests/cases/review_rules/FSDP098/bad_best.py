import torch, torch.distributed as dist
from torch.distributed.fsdp import fully_shard
class Stopper:
    def __init__(self, patience):
        self.best, self.bad, self.patience, self.stop = 1e9, 0, patience, False
    def update(self, v):
        if dist.get_rank() == 0:
            if v < self.best:
                self.best, self.bad = v, 0
            else:
                self.bad += 1
            self.stop = self.bad > self.patience
def main(m, loader, opt, evaluate, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    st = Stopper(3)
    for ep in range(100):
        for x in loader:
            m(x).mean().backward()
            opt.step()
            opt.zero_grad()
        st.update(evaluate(m))
        if st.stop:  # <- FSDP098
            break
