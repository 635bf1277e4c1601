import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def own_file(folder):
    return os.path.join(folder, f"optimizer.{dist.get_rank():05d}-of-{dist.get_world_size():05d}.pt")


def save(optimizer, folder):
    torch.save(optimizer.state_dict(), own_file(folder))


def resume(optimizer, folder):
    optimizer.load_state_dict(torch.load(own_file(folder), map_location="cpu"))


def main(net, policy, folder):
    net = FSDP(net, auto_wrap_policy=policy, device_id=torch.cuda.current_device())
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
    resume(optimizer, folder)
    save(optimizer, folder)
