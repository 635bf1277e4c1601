import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(model, path, dev):
    ck = torch.load(path, map_location=dev)  # <- FSDP054
    model.load_state_dict(ck)
    return FSDP(model, device_id=dev)
