from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

HOSTS = 6
PER_HOST = 4


def main(model, groups):
    mesh = init_device_mesh("cuda", (HOSTS * PER_HOST,))
    fully_shard(model.encoder, mesh=mesh, reshard_after_forward=2 * PER_HOST)
    fully_shard(model.decoder, mesh=mesh, reshard_after_forward=groups * PER_HOST)
    fully_shard(model, mesh=mesh)
