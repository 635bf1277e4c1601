import accelerate


class Run:
    def __init__(self, plugin):
        self.acc = accelerate.Accelerator(fsdp_plugin=plugin)

    def clip(self, model):
        self.acc.clip_grad_value_(model.parameters(), clip_value=1.0)  # <- HF219
