from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class T:
    def __init__(self, m):
        self._set(m)
    def _set(self, m):
        self.model = FSDP(m)
        return self.model
