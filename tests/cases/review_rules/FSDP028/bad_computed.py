"""The shard size is computed from numbers that are written down."""

from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

HOSTS = 5
PER_HOST = 4


def main(model):
    mesh = init_device_mesh("cuda", (HOSTS * PER_HOST,))
    for layer in model.layers:
        fully_shard(layer, mesh=mesh, reshard_after_forward=2 * PER_HOST)  # <- FSDP028
    fully_shard(model, mesh=mesh)
