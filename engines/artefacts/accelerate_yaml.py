"""The plan as an accelerate configuration for FSDP2."""

from typing import Any

import yaml

from engines.artefacts.job import Job

NAME = "accelerate_fsdp2.yaml"

_REDUCE_NOTE = (
    "# accelerate reduces gradients in bf16 under mixed_precision bf16; the plan's fp32 needs a policy of your own:\n"
    "# FullyShardedDataParallelPlugin(fsdp_version=2, mixed_precision_policy=MixedPrecisionPolicy(\n"
    "#     param_dtype=torch.bfloat16, reduce_dtype=torch.float32))\n"
)
_REDUCE_MARK = "# fsdp: ignore[HF215] the policy that is named above has to be given in train.py\n"


def accelerate_yaml(job: Job) -> str:
    """Return the YAML of `accelerate launch --config_file`."""
    recipe = job.recipe
    settings: dict[str, Any] = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "FSDP",
        "mixed_precision": "bf16" if recipe.param_dtype == "bf16" else "no",
        "num_machines": job.nodes,
        "num_processes": job.ranks,
        "machine_rank": 0,
        "main_training_function": "main",
        "use_cpu": job.device == "cpu",
        "fsdp_config": {
            "fsdp_version": 2,
            "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "fsdp_reshard_after_forward": recipe.reshard_after_forward,
            "fsdp_activation_checkpointing": recipe.activation_checkpointing == "full",
            "fsdp_offload_params": recipe.cpu_offload,
            "fsdp_cpu_ram_efficient_loading": True,
            "fsdp_state_dict_type": "SHARDED_STATE_DICT",
        },
    }
    if recipe.dp_replicate > 1:
        settings["parallelism_config"] = {
            "parallelism_config_dp_replicate_size": recipe.dp_replicate,
            "parallelism_config_dp_shard_size": job.shard_ranks,
        }
    text = yaml.safe_dump(settings, sort_keys=False)
    head = ""
    if recipe.param_dtype == "bf16" and recipe.reduce_dtype == "fp32":
        head = _REDUCE_NOTE
        text = text.replace("mixed_precision: ", f"{_REDUCE_MARK}mixed_precision: ", 1)
    if job.nodes > 1:
        head += "# each machine has its own machine_rank; add main_process_ip and main_process_port of machine 0\n"
    return head + text
