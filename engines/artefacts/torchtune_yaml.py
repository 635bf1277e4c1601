"""The plan as the keys of a torchtune recipe."""

from typing import Any

import yaml

from engines.artefacts.job import Job

NAME = "torchtune.yaml"

TORCHTUNE_OPTIMIZERS: dict[str, dict[str, Any]] = {
    "adamw": {"_component_": "torch.optim.AdamW"},
    "sgd": {"_component_": "torch.optim.SGD"},
    "sgd_momentum": {"_component_": "torch.optim.SGD", "momentum": 0.9},
}
"""Optimizers of torch by their names here."""

_HEAD = """# Keys of full_finetune_distributed that the plan decides; model, dataset and checkpointer come from
# `tune cp llama3/8B_full my.yaml` or its like. torchtune is no longer developed (July 2025).
"""


def torchtune_yaml(job: Job) -> str:
    """Return the YAML."""
    recipe = job.recipe
    settings: dict[str, Any] = {
        "batch_size": recipe.micro_batch,
        "gradient_accumulation_steps": recipe.grad_accum,
        "max_steps_per_epoch": recipe.steps,
        "tokenizer": {"max_seq_len": recipe.seq_len},
        "optimizer": TORCHTUNE_OPTIMIZERS[job.optimizer] | {"lr": recipe.lr, "weight_decay": recipe.weight_decay},
        "loss": {"_component_": "torchtune.modules.loss.CEWithChunkedOutputLoss"},
        "clip_grad_norm": recipe.max_grad_norm or None,
        "device": job.device,
        "dtype": recipe.param_dtype,
        "enable_activation_checkpointing": recipe.activation_checkpointing == "full",
        "fsdp_reshard_after_forward": recipe.reshard_after_forward,
        "fsdp_cpu_offload": recipe.cpu_offload,
        "data_parallel_shard_dim": job.shard_ranks,
        "data_parallel_replicate_dim": recipe.dp_replicate,
        "seed": recipe.seed,
    }
    note = ""
    if recipe.param_dtype == "bf16":
        note = "# dtype bf16 keeps weights and optimizer in bf16 there: less memory than planned, and rounded updates\n"
    return _HEAD + note + yaml.safe_dump(settings, sort_keys=False)
