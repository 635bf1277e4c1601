from accelerate import Accelerator, FullyShardedDataParallelPlugin


def main(policy):
    return Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(fsdp_version=2, auto_wrap_policy=policy))
