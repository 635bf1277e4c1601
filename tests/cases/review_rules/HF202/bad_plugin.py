from accelerate.utils import FullyShardedDataParallelPlugin as Plugin


def plugin(policy):
    return Plugin(
        fsdp_version=2,
        auto_wrap_policy=policy,
        forward_prefetch=False,  # <- HF202
    )
