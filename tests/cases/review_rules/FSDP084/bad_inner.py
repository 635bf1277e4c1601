from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Run:
    def __init__(self, model):
        model.encoder = FSDP(model.encoder)
        self.model = FSDP(model)

    def step(self, x):
        with self.model.encoder.no_sync():  # <- FSDP084
            self.model(x).sum().backward()
