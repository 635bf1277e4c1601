from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block

def main(model, dev, manual):
    if manual:
        for i in range(len(model.blocks)):
            model.blocks[i] = FSDP(model.blocks[i], device_id=dev)
        return FSDP(model, device_id=dev)
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)
