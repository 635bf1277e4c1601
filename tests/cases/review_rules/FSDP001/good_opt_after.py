import torch
from torch.distributed.fsdp import fully_shard
def groups(m):
    return [{"params": [p for p in m.parameters() if p.ndim > 1]}, {"params": [p for p in m.parameters() if p.ndim <= 1], "weight_decay": 0.0}]
def main(build, mesh):
    m = build()
    n_params = sum(p.numel() for p in m.parameters())
    names = [n for n, _ in m.named_parameters()]
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    opt = torch.optim.AdamW(groups(m), lr=1e-4)
    return m, opt, n_params, names
