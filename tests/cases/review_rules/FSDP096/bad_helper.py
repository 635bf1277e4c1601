import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from zoo import build

SEED = 7


def seed_everything():
    torch.manual_seed(SEED)  # <- FSDP096


def main(policy, x):
    seed_everything()
    model = FSDP(build(dropout=0.1), auto_wrap_policy=policy)
    model(x).sum().backward()
