from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy


def apply(model, policy):
    mesh = init_device_mesh("cuda", (2, 4))
    return FSDP(model, auto_wrap_policy=policy, device_mesh=mesh, sharding_strategy=ShardingStrategy.HYBRID_SHARD)
