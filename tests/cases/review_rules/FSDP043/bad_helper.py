import torch
from torch.distributed.fsdp import fully_shard


def weights(path):
    saved = torch.load(path, mmap=True)["model"]
    return {name.removeprefix("module."): value for name, value in saved.items()}


class Run:
    def __init__(self, model, path):
        self.model = model
        self._shard()
        self._restore(path)

    def _shard(self):
        for layer in self.model.layers:
            fully_shard(layer)
        fully_shard(self.model)

    def _restore(self, path):
        self.model.load_state_dict(weights(path))  # <- FSDP043
