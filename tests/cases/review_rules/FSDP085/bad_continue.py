from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, CPUOffload

def main(model, dev, loader, opt, cfg):
    model = FSDP(model, device_id=dev, cpu_offload=CPUOffload(True))  # <- FSDP085
    for i, b in enumerate(loader):
        loss = model(b) / cfg.accum
        loss.backward()
        if (i + 1) % cfg.accum:
            continue
        opt.step()
        opt.zero_grad()
