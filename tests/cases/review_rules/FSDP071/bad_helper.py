import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed import fsdp


def start(backend):
    dist.init_process_group(backend=backend)  # <- FSDP071


def shard(model):
    return fsdp.fully_shard(model, offload_policy=fsdp.CPUOffloadPolicy(pin_memory=False))


def main(model, path):
    start("nccl")
    model = shard(model)
    dcp.save({"model": model.state_dict()}, checkpoint_id=path)
