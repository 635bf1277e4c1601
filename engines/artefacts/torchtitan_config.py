"""The plan as a torchtitan configuration: a Python function, as its releases have it since 2026."""

from engines.artefacts.job import Job

NAME = "torchtitan_config.py"

_BASELINES = {
    "llama3": ("8b", "70b", "405b"),
    "qwen3": ("0.6b", "1.7b", "4b", "8b", "14b", "32b"),
}
"""Families and sizes whose baseline torchtitan's config_registry modules hold, as read in August 2026."""


def torchtitan_config(job: Job) -> str:
    """Return a module with one function; start it with MODULE=torchtitan_config CONFIG=planned ./run_train.sh."""
    family, baseline = _baseline(job.model)
    recipe = job.recipe
    mode = "full" if recipe.activation_checkpointing == "full" else "none"
    reshard = "always" if recipe.reshard_after_forward else "never"
    param = "bfloat16" if recipe.param_dtype == "bf16" else "float32"
    lines = [
        f'"""torchtitan for {_plain(job.model)} on {job.ranks} ranks, as planned.',
        "",
        f"    NGPU={job.per_node} MODULE=torchtitan_config CONFIG=planned ./run_train.sh",
        '"""',
        "",
        f"from torchtitan.models.{family}.config_registry import {baseline}",
        "from torchtitan.trainer import Trainer",
        "",
        "",
        "def planned() -> Trainer.Config:",
        '    """Return the baseline with the planned settings."""',
        f"    config = {baseline}()",
        f"    config.training.local_batch_size = {recipe.micro_batch}",
        f"    config.training.global_batch_size = {job.global_batch}",
        f"    config.training.seq_len = {recipe.seq_len}",
        f"    config.training.steps = {recipe.steps}",
        f"    config.training.max_norm = {recipe.max_grad_norm}",
        f"    config.training.enable_cpu_offload = {recipe.cpu_offload}",
        f'    config.training.mixed_precision_param = "{param}"',
        f"    config.parallelism.data_parallel_replicate_degree = {recipe.dp_replicate}",
        f"    config.parallelism.data_parallel_shard_degree = {job.shard_ranks}",
        f'    config.parallelism.fsdp_reshard_after_forward = "{reshard}"',
        f'    config.activation_checkpoint.mode = "{mode}"',
        f"    config.optimizer.lr = {recipe.lr}",
        "    return config",
    ]
    if baseline == "BASELINE":
        lines.insert(5, "# torchtitan has no baseline of this name: put in the model's own module and function")
    return "\n".join(lines) + "\n"


def _baseline(model: str) -> tuple[str, str]:
    letters = "".join(letter for letter in model.lower() if letter.isalnum() or letter == ".")
    for family, sizes in _BASELINES.items():
        for size in sorted(sizes, key=len, reverse=True):
            if family in letters.replace("3.1", "3") and letters.endswith(size):
                return family, f"{family}_{size.replace('.', '_')}"
    return "MODEL", "BASELINE"


def _plain(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable() and letter not in '"\\')
