from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, CPUOffload

def main(model, dev, epochs, loader, opt):
    model = FSDP(model, device_id=dev, cpu_offload=CPUOffload(offload_params=False))
    for e in range(epochs):
        for i, b in enumerate(loader):
            model(b).backward()
            if i % 4 == 3:
                opt.step()
                opt.zero_grad()
