from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
NAMES = ["LlamaDecoderLayer", "LlamaMLP"]
def go(m):
    return FSDP(m, auto_wrap_policy=ModuleWrapPolicy(set(NAMES)))  # <- FSDP012
