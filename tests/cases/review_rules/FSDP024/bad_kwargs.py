from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def apply(model, n):
    mesh = init_device_mesh(device_type="cuda", mesh_shape=(n, 4), mesh_dim_names=("data", "tensor"))
    options = {"mesh": mesh, "reshard_after_forward": True}
    for layer in model.layers:
        fully_shard(layer, **options)  # <- FSDP024
    fully_shard(model, **options)
