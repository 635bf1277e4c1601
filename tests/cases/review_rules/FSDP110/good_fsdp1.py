from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import apply_activation_checkpointing
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrap(model, policy, check):
    model = FSDP(model, auto_wrap_policy=policy)
    apply_activation_checkpointing(model, check_fn=check)
    return model
