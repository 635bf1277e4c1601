from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy as size_policy
class W:
    policy = size_policy(min_num_params=1_000_000)  # <- FSDP012
    def __call__(self, m):
        return FSDP(m, auto_wrap_policy=self.policy)
