"""What `accelerate to-fsdp2` makes of an FSDP1 section."""

from accelerate.commands.to_fsdp2 import convert_config_to_fsdp2

REQUIRES = ("accelerate",)
WORLD_SIZE = 1
PROCESS_GROUP = False


def probe(rank, world_size):
    """Convert one section with all FSDP1 keys, each strategy, and one that says version 2 already."""
    old = {
        "fsdp_version": 1,
        "fsdp_sharding_strategy": "SHARD_GRAD_OP",
        "fsdp_backward_prefetch": "BACKWARD_PRE",
        "fsdp_forward_prefetch": False,
        "fsdp_sync_module_states": True,
        "fsdp_use_orig_params": True,
        "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        "fsdp_offload_params": False,
        "fsdp_misspelt": 1,
    }
    new = convert_config_to_fsdp2({"fsdp_config": dict(old)})["fsdp_config"]
    assert new == {
        "fsdp_version": 2,
        "fsdp_reshard_after_forward": False,
        "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        "fsdp_offload_params": False,
        "fsdp_misspelt": 1,
    }, new
    becomes = {}
    for strategy in ("FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD", "NO_SHARD"):
        section = {"fsdp_config": {"fsdp_sharding_strategy": strategy}}
        becomes[strategy] = convert_config_to_fsdp2(section)["fsdp_config"]["fsdp_reshard_after_forward"]
    assert becomes == {"FULL_SHARD": True, "SHARD_GRAD_OP": False, "HYBRID_SHARD": True, "NO_SHARD": False}, becomes
    stale = {"fsdp_version": 2, "fsdp_sharding_strategy": "SHARD_GRAD_OP"}
    assert convert_config_to_fsdp2({"fsdp_config": dict(stale)})["fsdp_config"] == stale
    return {"reshard_after_forward": becomes, "a section that says version 2": "left as it is"}
