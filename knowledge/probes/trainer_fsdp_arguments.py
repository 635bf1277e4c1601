"""TrainingArguments(fsdp=...): defaults, legacy strings, unknown keys, and when rank-0 loading becomes active."""

import os

from _lab import raises
from transformers import TrainingArguments
from transformers.distributed.fsdp import is_fsdp_enabled

REQUIRES = ("transformers", "accelerate")
WORLD_SIZE = 1
TIMEOUT_S = 120


def plugin_args(fsdp, **config):
    """Return the plugin's keyword arguments for one combination."""
    args = TrainingArguments(output_dir="out", use_cpu=True, report_to="none", fsdp=fsdp, fsdp_config=config)
    return args.fsdp_plugin_args


def probe(rank, world_size):
    """Build arguments in the new and in the old form."""
    assert plugin_args(True) == {
        "fsdp_version": 2,
        "auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        "cpu_ram_efficient_loading": False,
        "state_dict_type": "FULL_STATE_DICT",
        "reshard_after_forward": True,
    }
    named = plugin_args(True, fsdp_transformer_layer_cls_to_wrap=["A", "B"], cpu_offload=True)
    assert named["transformer_cls_names_to_wrap"] == "A,B"
    assert named["cpu_offload"] is True
    foreign = plugin_args(
        True, offload_params=True, transformer_cls_to_wrap="A", fsdp_sharding_strategy="SHARD_GRAD_OP"
    )
    assert foreign == plugin_args(True), foreign

    assert plugin_args("shard_grad_op auto_wrap offload")["reshard_after_forward"] is False
    message = raises(ValueError, "only available with FSDP1", lambda: plugin_args("hybrid_shard auto_wrap"))
    old = plugin_args("hybrid_shard auto_wrap", version=1)
    assert (old["reshard_after_forward"], old["use_orig_params"]) == ("hybrid_shard", True), old
    raises(ValueError, "auto_wrap_policy` must be one of", lambda: plugin_args(True, auto_wrap_policy="always"))

    # from_pretrained loads on one rank only if both variables are set; the arguments set one, the launcher both.
    os.environ.pop("ACCELERATE_USE_FSDP", None)
    plugin_args(True, cpu_ram_efficient_loading=True)
    assert os.environ["FSDP_CPU_RAM_EFFICIENT_LOADING"] == "true"
    assert not is_fsdp_enabled()
    os.environ["ACCELERATE_USE_FSDP"] = "true"
    assert is_fsdp_enabled()
    return {"defaults": plugin_args(True), "hybrid_shard": message[:60], "unknown keys": "silent"}
