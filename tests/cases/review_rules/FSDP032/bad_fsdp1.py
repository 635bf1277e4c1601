import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(model, loader):
    ignored = [model.pos_embed]
    model = FSDP(model, ignored_states=ignored, use_orig_params=True)  # <- FSDP032
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for x in loader:
        model(x).mean().backward()
        opt.step()
        opt.zero_grad()
