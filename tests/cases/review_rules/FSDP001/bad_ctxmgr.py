import contextlib
import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
@contextlib.contextmanager
def training(model):
    opt = torch.optim.AdamW(model.parameters())  # <- FSDP001
    wrapped = FSDP(model, use_orig_params=False)
    yield wrapped, opt
def main(build, loader):
    with training(build()) as (m, opt):
        for x in loader:
            m(x).sum().backward()
            opt.step()
            opt.zero_grad()
