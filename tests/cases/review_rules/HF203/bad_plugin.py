from accelerate import FullyShardedDataParallelPlugin, Accelerator
plugin = FullyShardedDataParallelPlugin(fsdp_version=1, reshard_after_forward=False)  # <- HF203
acc = Accelerator(fsdp_plugin=plugin)
