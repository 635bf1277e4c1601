import os

import torch
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor


class Recipe:
    def __init__(self, make):
        self._main = int(os.environ["RANK"]) == 0
        self._model = self._sharded(make())

    def _sharded(self, model):
        for layer in model.layers:
            fully_shard(layer)
        fully_shard(model)
        return model

    def save(self, path):
        if self._main:
            state = {}
            for name, value in self._model.state_dict().items():
                if isinstance(value, DTensor):
                    value = value.full_tensor()  # <- FSDP040
                state[name] = value.cpu()
            torch.save(state, path)
