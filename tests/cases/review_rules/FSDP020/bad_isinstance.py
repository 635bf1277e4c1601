import torch
from torch.distributed.fsdp import fully_shard
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def optim_sd(model, opt):
    return FSDP.optim_state_dict(model, opt)  # <- FSDP020
def main(build, mesh):
    net = build()
    for l in net.layers:
        fully_shard(l, mesh=mesh)
    fully_shard(net, mesh=mesh)
    opt = torch.optim.AdamW(net.parameters())
    return optim_sd(net, opt)
