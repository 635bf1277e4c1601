from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import fully_shard


def parallelize(draft, settings, mesh):
    if isinstance(settings, dict):
        settings = settings["parallel"]
        for name, block in list(draft.layers.named_children()):
            draft.layers.register_module(name, checkpoint_wrapper(block))
        for index, block in enumerate(draft.layers):
            draft.layers[index] = checkpoint_wrapper(block)
        for block in draft.layers:
            fully_shard(block, mesh=mesh)
    fully_shard(draft, mesh=mesh)
