from dataclasses import dataclass, field

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from zoo import Block, Head


@dataclass
class Config:
    width: int = 512
    units: set[type] = field(default_factory=lambda: {Block, Head})


class Engine:
    def __init__(self, net, config: Config):
        self.net = FSDP(net, use_orig_params=True, device_id=0, auto_wrap_policy=ModuleWrapPolicy(config.units))
