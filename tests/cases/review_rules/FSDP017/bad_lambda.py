import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(build):
    model = FSDP(build(), use_orig_params=True)
    is_matrix = lambda p: p.dim() >= 2  # <- FSDP017
    mats = [p for p in model.parameters() if is_matrix(p)]
    rest = [p for p in model.parameters() if not is_matrix(p)]
    return torch.optim.SGD([{"params": mats}, {"params": rest}], lr=0.1)
