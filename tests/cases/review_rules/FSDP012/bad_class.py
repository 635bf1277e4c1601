from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from m import Block

def main(model, dev):
    return FSDP(
        model,
        auto_wrap_policy=Block,  # <- FSDP012
        device_id=dev,
    )
