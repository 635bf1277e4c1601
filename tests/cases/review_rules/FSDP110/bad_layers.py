from torch.distributed import fsdp
from torch.distributed.algorithms._checkpoint import checkpoint_wrapper as ac


class Parallel:
    def shard(self, model):
        for layer in model.layers:
            fsdp.fully_shard(layer)
        fsdp.fully_shard(model)

    def checkpoint(self, model):
        for index, layer in enumerate(model.layers):
            model.layers[index] = ac.checkpoint_wrapper(layer)  # <- FSDP110

    def apply(self, model):
        self.shard(model)
        self.checkpoint(model)
