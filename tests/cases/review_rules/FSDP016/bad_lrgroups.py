import re, torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
PAT = re.compile(r"layers\.(\d+)\.")
class T:
    def __init__(self, model):
        self.model = FSDP(model, use_orig_params=False)
        self.opt = torch.optim.AdamW(self.groups())
    def groups(self):
        out = {}
        for name, p in self.model.named_parameters():
            m = PAT.search(name)  # <- FSDP016
            out.setdefault(m and m.group(1), []).append(p)
        return [{"params": v} for v in out.values()]
