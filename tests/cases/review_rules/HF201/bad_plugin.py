from accelerate import Accelerator, FullyShardedDataParallelPlugin

options = {
    "fsdp_version": 2,
    "sharding_strategy": "SHARD_GRAD_OP",
}
plugin = FullyShardedDataParallelPlugin(**options)  # <- HF201
accelerator = Accelerator(fsdp_plugin=plugin)
