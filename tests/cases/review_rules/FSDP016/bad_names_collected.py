import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(model, dev):
    decay = {n for n, p in model.named_parameters() if p.ndim > 1}
    model = FSDP(model, device_id=dev)
    opt = torch.optim.AdamW([{"params": [p for n, p in model.named_parameters() if n in decay]},  # <- FSDP016
                             {"params": [p for n, p in model.named_parameters() if n not in decay], "weight_decay": 0}])  # <- FSDP016
