from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, CPUOffload

class T:
    def __init__(self, model, opt, dev):
        kw = {"device_id": dev}
        kw["cpu_offload"] = CPUOffload(offload_params=True)
        self.model = FSDP(model, **kw)  # <- FSDP085
        self.opt = opt
    def step(self, micro):
        self.opt.zero_grad()
        for mb in micro:
            (self.model(mb) / len(micro)).backward()
        self.opt.step()
