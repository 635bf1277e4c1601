import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class O:
    def __init__(self, cfg):
        self.cfg = cfg
    def split(self, named):
        mats, vecs = [], []
        for n, p in named:
            (mats if p.dim() > 1 else vecs).append(p)  # <- FSDP017
        return mats, vecs
def main(model, dev, cfg):
    model = FSDP(model, device_id=dev, use_orig_params=True)
    m, v = O(cfg).split(model.named_parameters())
    return torch.optim.AdamW([{"params": m}, {"params": v}])
