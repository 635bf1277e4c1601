import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(build, path):
    model = FSDP(build())
    sd = torch.load(path)
    opts = {"strict": False}
    model.load_state_dict(sd, **opts)  # <- FSDP050
