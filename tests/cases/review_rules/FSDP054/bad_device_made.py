import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(model, path):
    dev = torch.device("cuda", torch.cuda.current_device())
    ck = torch.load(path, map_location=dev)  # <- FSDP054
    model.load_state_dict({k: v for k, v in ck["model"].items()})
    return FSDP(model, device_id=dev)
