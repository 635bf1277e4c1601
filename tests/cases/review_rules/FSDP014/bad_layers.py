from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Builder:
    def __init__(self, policy):
        self.policy = policy

    def _layers(self, model):
        for index, layer in enumerate(model.layers):
            model.layers[index] = FSDP(layer)

    def build(self, model):
        self._layers(model)
        return FSDP(model, auto_wrap_policy=self.policy)  # <- FSDP014
