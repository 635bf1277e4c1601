import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardingStrategy

class Sharder:
    def __init__(self, **options):
        self.options = options
    def __call__(self, module):
        return FSDP(module, **self.options)

def build(model, dev):
    shard = Sharder(device_id=dev, use_orig_params=True)
    list(map(shard, model.encoder.layers))  # <- FSDP007
    return shard(model)
