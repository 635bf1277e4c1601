from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


class Layout:
    def __init__(self, nodes, gpus):
        self.nodes, self.gpus, self._mesh = nodes, gpus, None

    @property
    def mesh(self):
        if self._mesh is None:
            self._mesh = init_device_mesh("cuda", (self.nodes, self.gpus))  # <- FSDP026
        return self._mesh


def shard(model, layout: Layout):
    for layer in model.layers:
        fully_shard(layer, mesh=layout.mesh)
    return fully_shard(model, mesh=layout.mesh)
