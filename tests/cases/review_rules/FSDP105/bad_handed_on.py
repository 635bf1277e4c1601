from torch.distributed.fsdp import FullyShardedDataParallel
from zoo import Net


def distribute(net, **options):
    return FullyShardedDataParallel(net, use_orig_params=True, **options)


def main(policy):
    net = Net()
    return distribute(
        net,
        auto_wrap_policy=policy,
        limit_all_gathers=True,
        forward_prefetch=True,
        sync_module_states=True,  # <- FSDP105
    )
