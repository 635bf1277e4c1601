"""FullyShardedDataParallelPlugin for FSDP2: which arguments are refused, dropped, or filled in."""

import torch
from _lab import raises
from accelerate.utils import FullyShardedDataParallelPlugin as Plugin
from torch.distributed.fsdp import MixedPrecisionPolicy

REQUIRES = ("accelerate",)
WORLD_SIZE = 1


def probe(rank, world_size):
    """Build plugins with FSDP1 arguments, and let mixed_precision fill the policy."""
    seen = {}
    seen["strategy without reshard"] = raises(
        ValueError, "not supported with FSDP2", lambda: Plugin(fsdp_version=2, sharding_strategy="SHARD_GRAD_OP")
    )[:60]
    assert Plugin(fsdp_version=2, sharding_strategy="SHARD_GRAD_OP", reshard_after_forward=True).reshard_after_forward
    raises(ValueError, "not supported with FSDP1", lambda: Plugin(fsdp_version=1, reshard_after_forward=True))
    for value in (True, False):
        raises(
            ValueError,
            "forward_prefetch is not yet implemented",
            lambda value=value: Plugin(fsdp_version=2, forward_prefetch=value),
        )
    old = Plugin(fsdp_version=2, use_orig_params=True, backward_prefetch="BACKWARD_PRE")
    assert old.use_orig_params is None
    assert old.backward_prefetch is None
    seen["forward_prefetch=False"] = "ValueError"
    raises(
        ValueError,
        "requires `activation_checkpointing=True`",
        lambda: Plugin(fsdp_version=2, activation_checkpointing_offload=True),
    )

    # Defaults outside the launcher.
    assert Plugin(fsdp_version=2).cpu_ram_efficient_loading is False
    assert Plugin().fsdp_version == 1
    assert Plugin(fsdp_version=2).auto_wrap_policy is None

    # What Accelerator(mixed_precision="bf16") does with the plugin.
    bare = Plugin(fsdp_version=2)
    bare.set_mixed_precision("bf16")
    policy = bare.mixed_precision_policy
    assert policy == MixedPrecisionPolicy(torch.bfloat16, torch.bfloat16, torch.bfloat16), policy
    mine = Plugin(fsdp_version=2, mixed_precision_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32))
    mine.set_mixed_precision("bf16")
    assert mine.mixed_precision_policy.reduce_dtype == torch.float32
    as_dict = {"param_dtype": torch.bfloat16, "reduce_dtype": torch.float32, "output_dtype": torch.float32}
    assert Plugin(fsdp_version=2, mixed_precision_policy=as_dict).mixed_precision_policy.reduce_dtype == torch.float32
    seen["bf16"] = "param, reduce and output dtype bf16"
    seen["own policy"] = "kept"
    return seen
