import torch, torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def setup():
    dist.init_process_group(backend="nccl")
def main(build):
    setup()
    device = torch.device("cuda")
    net = build().to(device)  # <- FSDP021
    return FSDP(net)
