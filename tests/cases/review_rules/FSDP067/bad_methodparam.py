import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class Clipper:
    def __init__(self, params, max_norm):
        self.params, self.max_norm = params, max_norm
    def __call__(self):
        torch.nn.utils.clip_grad_norm_(self.params, self.max_norm)  # <- FSDP067
def main(build, loader):
    m = FSDP(build(), use_orig_params=True)
    opt = torch.optim.AdamW(m.parameters())
    clip = Clipper(list(m.parameters()), 1.0)
    for x in loader:
        opt.zero_grad()
        m(x).mean().backward()
        clip()
        opt.step()
