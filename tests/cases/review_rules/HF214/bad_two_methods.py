from accelerate import Accelerator, FullyShardedDataParallelPlugin
import torch
def make():
    plugin = FullyShardedDataParallelPlugin(fsdp_version=2)
    return Accelerator(fsdp_plugin=plugin)
class Run:
    def __init__(self, model):
        self.acc = make()
        self.model = self.acc.prepare(model)
    def optim(self):
        opt = torch.optim.AdamW(self.model.parameters())
        self.opt = self.acc.prepare(opt)  # <- HF214
