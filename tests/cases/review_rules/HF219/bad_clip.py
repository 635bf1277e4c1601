from accelerate import Accelerator, FullyShardedDataParallelPlugin


def main(model, policy):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(auto_wrap_policy=policy))
    accelerator.clip_grad_value_(model.parameters(), 0.5)  # <- HF219
