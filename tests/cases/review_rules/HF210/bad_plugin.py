import accelerate

VERSION = 2


def plugin(policy):
    return accelerate.FullyShardedDataParallelPlugin(
        fsdp_version=VERSION,
        auto_wrap_policy=policy,
        state_dict_type="local_state_dict",  # <- HF210
    )
