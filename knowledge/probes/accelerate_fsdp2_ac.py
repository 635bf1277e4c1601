"""fsdp_activation_checkpointing in accelerate: wraps what the policy matches, and fails without a policy."""

from types import SimpleNamespace

from _lab import Net, raises
from accelerate.utils import FullyShardedDataParallelPlugin as Plugin
from accelerate.utils.fsdp_utils import fsdp2_apply_ac
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointWrapper

REQUIRES = ("accelerate",)
WORLD_SIZE = 1


def checkpointed(**options):
    """Return the names of the modules that are checkpointed with these plugin options."""
    plugin = Plugin(fsdp_version=2, activation_checkpointing=True, **options)
    model = Net()
    plugin.set_auto_wrap_policy(model)
    model = fsdp2_apply_ac(SimpleNamespace(state=SimpleNamespace(fsdp_plugin=plugin)), model)
    return [name for name, module in model.named_modules() if isinstance(module, CheckpointWrapper)]


def probe(rank, world_size):
    """Apply checkpointing with a class policy, and with none."""
    blocks = checkpointed(auto_wrap_policy="TRANSFORMER_BASED_WRAP", transformer_cls_names_to_wrap=["Block"])
    assert blocks == ["blocks.0", "blocks.1"], blocks
    message = raises(TypeError, "'NoneType' object is not callable", checkpointed)
    raises(
        ValueError,
        "requires `fsdp_version=2`",
        lambda: Plugin(activation_checkpointing=True, activation_checkpointing_offload=True),
    )
    return {"with a class policy": blocks, "without a policy": message}
