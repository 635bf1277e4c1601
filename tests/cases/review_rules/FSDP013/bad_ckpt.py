from torch.distributed.fsdp import fully_shard
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from model import Block
def parallelize(model, mesh):
    for i, blk in enumerate(model.layers):
        model.layers[i] = checkpoint_wrapper(blk)
    for m in model.layers:
        if type(m) is Block:
            fully_shard(m, mesh=mesh)  # <- FSDP013
    fully_shard(model, mesh=mesh)
