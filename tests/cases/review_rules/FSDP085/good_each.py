from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, CPUOffload

def main(model, dev, loader, opt):
    model = FSDP(model, device_id=dev, cpu_offload=CPUOffload(offload_params=True))
    for i, b in enumerate(loader):
        model(b).backward()
        opt.step()
        opt.zero_grad()
        if i % 10 == 0:
            print(i)
