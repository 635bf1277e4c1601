import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, MixedPrecision
def dtype_of(name):
    return {"fp16": torch.float16, "bf16": torch.bfloat16}[name]
def main(m, loader):
    dt = dtype_of("fp16")
    m = FSDP(m, mixed_precision=MixedPrecision(param_dtype=dt, reduce_dtype=dt))  # <- FSDP062
    opt = torch.optim.AdamW(m.parameters())
    for x in loader:
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
