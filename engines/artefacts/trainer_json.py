"""The plan as keyword arguments of transformers' TrainingArguments."""

import json
from typing import Any

from engines.artefacts.job import Job

NAME = "trainer_arguments.json"

TRAINER_OPTIMIZERS = {"adamw": "adamw_torch", "adamw_8bit": "adamw_torch_8bit", "sgd": "sgd", "adafactor": "adafactor"}
"""Optimizers by their names here, and by `optim` of TrainingArguments; adamw_torch_8bit is torchao's."""


def trainer_arguments(job: Job) -> dict[str, Any]:
    """Return the arguments; `output_dir` and the data are yours."""
    recipe = job.recipe
    return {
        "output_dir": "out",
        "max_steps": recipe.steps,
        "per_device_train_batch_size": recipe.micro_batch,
        "gradient_accumulation_steps": recipe.grad_accum,
        "optim": TRAINER_OPTIMIZERS[job.optimizer],
        "learning_rate": recipe.lr,
        "weight_decay": recipe.weight_decay,
        "adam_beta1": recipe.beta1,
        "adam_beta2": recipe.beta2,
        "adam_epsilon": recipe.eps,
        "max_grad_norm": recipe.max_grad_norm,
        "lr_scheduler_type": "cosine",
        "warmup_steps": recipe.warmup_steps,
        "bf16": recipe.param_dtype == "bf16",
        "gradient_checkpointing": False,
        "seed": recipe.seed,
        "save_steps": recipe.checkpoint_every or recipe.steps,
        "logging_steps": recipe.log_every,
        "fsdp": True,
        "fsdp_config": {
            "version": 2,
            "auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "reshard_after_forward": recipe.reshard_after_forward,
            "activation_checkpointing": recipe.activation_checkpointing == "full",
            "cpu_offload": recipe.cpu_offload,
            "state_dict_type": "SHARDED_STATE_DICT",
        },
    }


def trainer_json(job: Job) -> str:
    """Return the arguments as JSON: TrainingArguments(**json.load(open(...)))."""
    return json.dumps(trainer_arguments(job), indent=2) + "\n"
