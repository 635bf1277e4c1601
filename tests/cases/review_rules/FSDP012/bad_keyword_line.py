from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from zoo import Block, Net


def wrap(device):
    return FSDP(
        Net(),
        device_id=device,
        use_orig_params=True,
        limit_all_gathers=True,
        auto_wrap_policy=[Block],  # <- FSDP012
    )
