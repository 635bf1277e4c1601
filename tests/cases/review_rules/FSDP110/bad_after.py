from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import apply_activation_checkpointing
from torch.distributed.fsdp import fully_shard


def shard(model, check):
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    apply_activation_checkpointing(model, check_fn=check)  # <- FSDP110
