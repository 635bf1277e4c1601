from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, StateDictType
class T:
    def __init__(self, m, dev):
        self.m = FSDP(m, device_id=dev)
    def save(self):
        with FSDP.state_dict_type(self.m, StateDictType.FULL_STATE_DICT):  # <- FSDP042
            return self.m.state_dict()
