from dataclasses import dataclass, field

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy


@dataclass
class Config:
    width: int = 512
    units: list[str] = field(default_factory=lambda: ["Block", "Head"])


class Engine:
    def __init__(self, net, config: Config):
        self.units = frozenset(config.units)
        self.net = FSDP(
            net,
            use_orig_params=True,
            device_id=0,
            auto_wrap_policy=ModuleWrapPolicy(self.units),  # <- FSDP012
        )
