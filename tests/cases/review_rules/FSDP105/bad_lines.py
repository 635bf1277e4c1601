from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from zoo import Net, policy


class Engine:
    def __init__(self, config):
        self.net = FSDP(
            Net(config),
            auto_wrap_policy=policy,
            use_orig_params=True,
            limit_all_gathers=True,
            sync_module_states=True,  # <- FSDP105
        )
