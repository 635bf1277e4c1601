from accelerate import Accelerator
from accelerate.utils import FullyShardedDataParallelPlugin

class T:
    def __init__(self):
        self.accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin())
    def step(self, model, loss):
        self.accelerator.backward(loss)
        if self.accelerator.sync_gradients:
            clip = self.accelerator.clip_grad_value_
            clip(model.parameters(), 0.5)  # <- HF219
