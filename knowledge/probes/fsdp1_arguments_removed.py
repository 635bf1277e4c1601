"""fully_shard has none of the FSDP1 constructor's own arguments; a loop takes the place of auto_wrap_policy."""

import inspect

from _lab import Block, Net, batch, raises
from torch.distributed.fsdp import FSDPModule, FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

REMOVED = (
    "process_group",
    "sharding_strategy",
    "cpu_offload",
    "auto_wrap_policy",
    "backward_prefetch",
    "mixed_precision",
    "ignored_modules",
    "param_init_fn",
    "device_id",
    "sync_module_states",
    "forward_prefetch",
    "limit_all_gathers",
    "use_orig_params",
    "ignored_states",
    "device_mesh",
)
KEPT = ("mesh", "reshard_after_forward", "mp_policy", "offload_policy", "ignored_params", "shard_placement_fn")


def probe(rank, world_size):
    """Compare the two signatures, pass an old argument, and shard in a loop."""
    old = inspect.signature(FullyShardedDataParallel.__init__).parameters
    new = inspect.signature(fully_shard).parameters
    assert set(REMOVED) <= set(old), set(REMOVED) - set(old)
    assert not set(REMOVED) & set(new), set(REMOVED) & set(new)
    assert set(KEPT) <= set(new), set(KEPT) - set(new)
    assert "buffer_dtype" not in MixedPrecisionPolicy.__dataclass_fields__
    message = raises(
        TypeError, "auto_wrap_policy", lambda: fully_shard(Net(), auto_wrap_policy=ModuleWrapPolicy({Block}))
    )
    net = Net()
    for module in list(net.modules()):
        if isinstance(module, Block):
            fully_shard(module)
    fully_shard(net)
    units = sum(isinstance(module, FSDPModule) for module in net.modules())
    assert units == 3, units
    net(batch(rank)).sum().backward()
    return {"old arguments left": 0, "auto_wrap_policy": message.split("got")[-1].strip(), "units of the loop": units}
