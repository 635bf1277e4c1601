from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

KEEP = 3


def apply(model):
    options = dict(mesh=init_device_mesh("cuda", (2, 8), mesh_dim_names=("replicate", "shard")), reshard_after_forward=KEEP)
    fully_shard(model, **options)  # <- FSDP028
