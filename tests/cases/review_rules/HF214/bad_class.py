import accelerate
import torch


class Run:
    def __init__(self, net, policy):
        plugin = accelerate.FullyShardedDataParallelPlugin(fsdp_version=2, auto_wrap_policy=policy)
        self.accelerator = accelerate.Accelerator(fsdp_plugin=plugin)
        self.net = self.accelerator.prepare(net)
        self.setup()

    def setup(self):
        opt = torch.optim.AdamW(self.net.parameters())
        self.opt, self.schedule = self.accelerator.prepare(opt, torch.optim.lr_scheduler.LinearLR(opt))  # <- HF214
