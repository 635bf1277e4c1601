import torch
import torch.distributed.fsdp as fsdp
class Ckpt:
    def __init__(self, model):
        self.model = model
    def full(self):
        cls = fsdp.FullyShardedDataParallel
        with cls.state_dict_type(self.model, fsdp.StateDictType.FULL_STATE_DICT):  # <- FSDP020
            return self.model.state_dict()
def main(build, mesh):
    m = build()
    for b in m.blocks:
        fsdp.fully_shard(b, mesh=mesh)
    fsdp.fully_shard(m, mesh=mesh)
    return Ckpt(m).full()
