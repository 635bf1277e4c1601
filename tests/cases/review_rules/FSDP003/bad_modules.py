from torch.distributed.fsdp import fully_shard
from model import Block
def shard(model, mesh):
    for m in model.modules():
        if m is model or isinstance(m, Block):
            fully_shard(m, mesh=mesh)  # <- FSDP003
