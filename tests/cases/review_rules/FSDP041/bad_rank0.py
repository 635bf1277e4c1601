import torch, torch.distributed as dist
from torch.distributed.fsdp import fully_shard
class Saver:
    def __init__(self, model, every):
        self.model, self.every = model, every
    def __call__(self, step):
        state = {"model": self.model.state_dict(), "step": step}
        if step % self.every == 0 and dist.get_rank() == 0:
            torch.save(state, f"ckpt{step}.pt")  # <- FSDP041
def main(model, mesh):
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    Saver(model, 10)(10)
