"""All artefacts of a plan by their file names."""

from collections.abc import Mapping

from engines.artefacts import (
    accelerate_yaml,
    launching,
    skypilot_yaml,
    snippet,
    torchtitan_config,
    torchtune_yaml,
    trainer_json,
    trainjob,
)
from engines.artefacts.job import Job
from engines.artefacts.unsaid import left_to_the_script, noted, withheld

_TRAINING = {
    snippet.NAME: snippet.snippet,
    trainer_json.NAME: trainer_json.trainer_json,
    torchtitan_config.NAME: torchtitan_config.torchtitan_config,
    torchtune_yaml.NAME: torchtune_yaml.torchtune_yaml,
}
_STARTING = {
    accelerate_yaml.NAME: accelerate_yaml.accelerate_yaml,
    launching.TORCHRUN_NAME: launching.torchrun_script,
    launching.SLURM_NAME: launching.slurm_script,
    trainjob.NAME: trainjob.trainjob_yaml,
    skypilot_yaml.NAME: skypilot_yaml.skypilot_yaml,
}


def artefacts(job: Job) -> Mapping[str, str]:
    """Return the text of each file by its name; a form that cannot say what it trains is left out."""
    without = withheld(job)
    texts = {name: make(job) for name, make in _TRAINING.items() if name not in without}
    return texts | {name: noted(make(job), job) for name, make in _STARTING.items()}


def shortcomings(job: Job) -> tuple[str, ...]:
    """Return what a person has to know of the files: which are left out, and what others do not say."""
    said = [f"{name} is not written: it cannot express {what}" for name, what in withheld(job).items()]
    if left := left_to_the_script(job):
        said.append(f"{', '.join(_STARTING)} do not hold {left}: train.py has to make it")
    if job.recipe.param_dtype == "bf16" and job.recipe.reduce_dtype == "fp32":
        names = [name for name in (accelerate_yaml.NAME, trainer_json.NAME) if name not in withheld(job)]
        said.append(
            f"{', '.join(names)}: accelerate reduces gradients in bf16, not in the plan's fp32, unless train.py "
            f"gives the policy that {accelerate_yaml.NAME} names"
        )
    return tuple(said)
