from torch.distributed import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy


def meshes(n):
    return {"hybrid": init_device_mesh("cuda", (8, n), mesh_dim_names=("intra_shard", "inter_replicate"))}  # <- FSDP025


def apply(model, policy, n):
    mesh = meshes(n)["hybrid"]
    return FSDP(model, policy, device_mesh=mesh, sharding_strategy=ShardingStrategy.HYBRID_SHARD, use_orig_params=True)
