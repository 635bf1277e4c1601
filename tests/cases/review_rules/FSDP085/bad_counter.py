import argparse
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, CPUOffload

def main(model, dev, loader, opt):
    p = argparse.ArgumentParser()
    p.add_argument("--accum", type=int, default=8)
    args = p.parse_args()
    model = FSDP(model, device_id=dev, cpu_offload=CPUOffload(offload_params=True))  # <- FSDP085
    step = 0
    for b in loader:
        model(b).backward()
        step += 1
        if step == args.accum:
            opt.step()
            opt.zero_grad()
            step = 0
