from accelerate import Accelerator, FullyShardedDataParallelPlugin

options = {
    "fsdp_version": 2,
    "sharding_strategy": "SHARD_GRAD_OP",  # <- HF201
}
plugin = FullyShardedDataParallelPlugin(**options)
accelerator = Accelerator(fsdp_plugin=plugin)
