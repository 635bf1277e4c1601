import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def load(model, p, strict=False):
    res = model.load_state_dict(torch.load(p), strict=strict)  # <- FSDP050
    return model
def main(m, dev):
    m = FSDP(m, device_id=dev)
    load(m, "p")
