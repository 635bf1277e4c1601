from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
def world(pp, dp):
    return init_device_mesh("cuda", (pp, dp), mesh_dim_names=("pp", "dp"))
def main(stage, pp, dp):
    m = world(pp, dp)
    policy = {"mesh": m, "reshard_after_forward": True}
    for b in stage.blocks:
        fully_shard(b, **policy)  # <- FSDP024
    fully_shard(stage, **policy)
