from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def apply(model):
    mesh = init_device_mesh("cuda", (16,))
    fully_shard(model.a, mesh=mesh, reshard_after_forward=8)
    fully_shard(model.b, mesh=mesh, reshard_after_forward=True)
    fully_shard(model, mesh=mesh, reshard_after_forward=None)
