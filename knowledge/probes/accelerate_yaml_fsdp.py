"""What accelerate makes of each fsdp_config key: YAML file, launcher's environment, plugin."""

import os
from pathlib import Path

import yaml
from _lab import raises
from accelerate.commands.launch import _validate_launch_command, launch_command_parser
from accelerate.utils import FullyShardedDataParallelPlugin
from accelerate.utils.launch import prepare_multi_gpu_env

REQUIRES = ("accelerate", "yaml")
WORLD_SIZE = 1

VERSION_1 = {"fsdp_version": 1, "fsdp_sync_module_states": False, "fsdp_cpu_ram_efficient_loading": False}


def launch(section, **top):
    """Return (arguments, environment for the workers) that `accelerate launch` makes of an fsdp_config section."""
    config = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "FSDP",
        "mixed_precision": "no",
        "num_machines": 1,
        "num_processes": 2,
        "machine_rank": 0,
        "use_cpu": False,
        "fsdp_config": section,
        **top,
    }
    Path("config.yaml").write_text(yaml.safe_dump(config))
    args = launch_command_parser().parse_args(["--config_file", "config.yaml", "--main_process_port", "0", "train.py"])
    args, _, _ = _validate_launch_command(args)
    return args, prepare_multi_gpu_env(args)


def plugin(section, **top):
    """Return the plugin that a worker builds from the launcher's environment."""
    _, env = launch(section, **top)
    saved = {k: v for k, v in os.environ.items() if k.startswith("FSDP_")}
    for key in saved:
        del os.environ[key]
    os.environ.update({k: v for k, v in env.items() if k.startswith("FSDP_")})
    try:
        return FullyShardedDataParallelPlugin()
    finally:
        for key in [k for k in os.environ if k.startswith("FSDP_")]:
            del os.environ[key]
        os.environ.update(saved)


def _keys_of_version_1(seen):
    # FSDP1 keys beside version 2: the launcher says nothing and they change nothing.
    for strategy in ("SHARD_GRAD_OP", "HYBRID_SHARD", "NO_SHARD"):
        built = plugin({"fsdp_version": 2, "fsdp_sharding_strategy": strategy})
        assert built.reshard_after_forward is True, built.reshard_after_forward
    built = plugin(
        {
            "fsdp_version": 2,
            "fsdp_reshard_after_forward": False,
            "fsdp_backward_prefetch": "BACKWARD_POST",
            "fsdp_forward_prefetch": True,
            "fsdp_use_orig_params": False,
        }
    )
    assert built.reshard_after_forward is False
    assert {built.backward_prefetch, built.forward_prefetch, built.use_orig_params} == {None}
    seen["v2: sharding_strategy"] = "ignored, reshard_after_forward stays True"
    seen["v2: prefetch, use_orig_params"] = "ignored"


def _strategy_of_version_1(seen):
    # Version 1 takes the strategy from fsdp_sharding_strategy alone.
    built = plugin({**VERSION_1, "fsdp_reshard_after_forward": "SHARD_GRAD_OP"})
    assert built.sharding_strategy.name == "FULL_SHARD", built.sharding_strategy
    built = plugin({**VERSION_1, "fsdp_sharding_strategy": "SHARD_GRAD_OP"})
    assert built.sharding_strategy.name == "SHARD_GRAD_OP", built.sharding_strategy
    seen["v1: reshard_after_forward SHARD_GRAD_OP"] = "FULL_SHARD"


def _values_that_are_refused(seen):
    # A strategy name is no bool.
    seen["v2: reshard FULL_SHARD"] = raises(
        ValueError,
        "invalid truth value",
        lambda: plugin({"fsdp_version": 2, "fsdp_reshard_after_forward": "FULL_SHARD"}),
    )[:60]
    seen["v2: LOCAL_STATE_DICT"] = raises(
        ValueError,
        "does not support LOCAL_STATE_DICT",
        lambda: plugin({"fsdp_version": 2, "fsdp_state_dict_type": "LOCAL_STATE_DICT"}),
    )[:60]


def _ram_efficient_loading(seen):
    # RAM-efficient loading is on by default and needs sync_module_states, in version 2 too; "false" in quotes is true.
    no_sync = {"fsdp_version": 2, "fsdp_sync_module_states": False}
    for quoted in ({}, {"fsdp_cpu_ram_efficient_loading": "false"}):
        raises(ValueError, "fsdp_sync_module_states", lambda quoted=quoted: launch({**no_sync, **quoted}))
    assert plugin({**no_sync, "fsdp_cpu_ram_efficient_loading": False}).cpu_ram_efficient_loading is False
    assert plugin({"fsdp_version": 2}).cpu_ram_efficient_loading is True
    seen["cpu_ram_efficient_loading"] = "true unless a YAML bool false"


def _unknown_keys(seen):
    # Unknown keys: refused at the top, silent inside fsdp_config.
    raises(ValueError, "unknown keys", lambda: launch({"fsdp_version": 2}, fsdp_offload=True))
    built = plugin({"fsdp_version": 2, "fsdp_cpu_offload": True, "fsdp_transformer_cls_to_wrap": "Block"})
    assert type(built.cpu_offload).__name__ == "OffloadPolicy", built.cpu_offload
    assert built.transformer_cls_names_to_wrap is None
    assert type(plugin({"fsdp_version": 2, "fsdp_offload_params": True}).cpu_offload).__name__ == "CPUOffloadPolicy"
    seen["unknown key in fsdp_config"] = "silent"


def _class_names(seen):
    # Class names: one string, commas, no spaces, and only with the transformer policy.
    wrap = {"fsdp_version": 2, "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"}
    for value, names in (("A,B", ["A", "B"]), ("A, B", ["A", " B"]), (["A", "B"], ["['A'", " 'B']"])):
        built = plugin({**wrap, "fsdp_transformer_layer_cls_to_wrap": value})
        assert built.transformer_cls_names_to_wrap == names, built.transformer_cls_names_to_wrap
        seen[f"class names {value}"] = names
    built = plugin({"fsdp_version": 2, "fsdp_transformer_layer_cls_to_wrap": "A"})
    assert built.auto_wrap_policy is None, "no policy given: NO_WRAP"
    built = plugin({"fsdp_version": 2, "fsdp_auto_wrap_policy": "SIZE_BASED_WRAP"})
    assert built.min_num_params == 100_000_000, built.min_num_params


def _distributed_type_and_defaults(seen):
    # The section needs distributed_type FSDP, and the default version is 1.
    args, env = launch({"fsdp_version": 2}, distributed_type="MULTI_GPU")
    assert (args.use_fsdp, args.multi_gpu) == (False, True)
    assert "ACCELERATE_USE_FSDP" not in env
    _, env = launch({"fsdp_version": 2})
    assert (env["ACCELERATE_USE_FSDP"], env["FSDP_VERSION"]) == ("true", "2")
    unversioned = {k: v for k, v in VERSION_1.items() if k != "fsdp_version"}
    assert plugin(unversioned).fsdp_version == 1
    assert plugin(unversioned).state_dict_type.name == "FULL_STATE_DICT"
    assert plugin({"fsdp_version": 2}).state_dict_type.name == "SHARDED_STATE_DICT"
    seen["MULTI_GPU with fsdp_config"] = "DDP"
    seen["defaults"] = "fsdp_version 1; state dict FULL in 1, SHARDED in 2"


def probe(rank, world_size):
    """Feed sections to the launcher and look at the plugin that comes out."""
    seen = {}
    _keys_of_version_1(seen)
    _strategy_of_version_1(seen)
    _values_that_are_refused(seen)
    _ram_efficient_loading(seen)
    _unknown_keys(seen)
    _class_names(seen)
    _distributed_type_and_defaults(seen)
    return seen
