import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

def main(model, dev, path):
    model = FSDP(model, device_id=dev)
    opt = torch.optim.AdamW(model.parameters())
    dcp.save({"model": model.state_dict(), "opt": opt.state_dict()}, checkpoint_id=path)  # <- FSDP046
