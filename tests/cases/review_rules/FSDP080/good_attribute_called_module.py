import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Wrapper:
    def __init__(self, net, pol):
        self.module = FSDP(net, auto_wrap_policy=pol, device_id=torch.cuda.current_device(), use_orig_params=True)
        self.optimizer = torch.optim.AdamW(self.module.parameters(), 1e-4)

    def __call__(self, *a, **k):
        return self.module(*a, **k)

    def step(self, x):
        self.optimizer.zero_grad()
        loss = self(x).mean()
        loss.backward()
        self.module.clip_grad_norm_(1.0)
        self.optimizer.step()


def run(net, pol, dl):
    w = Wrapper(net, pol)
    for x in dl:
        w.step(x)
