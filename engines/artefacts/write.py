"""All artefacts of a plan by their file names."""

from collections.abc import Mapping

from contracts.request import Language
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
from engines.artefacts.wording import say

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


def shortcomings(job: Job, language: Language = "en") -> tuple[str, ...]:
    """Return what a person has to know of the files: which are left out, and what others do not say."""
    said = [say("withheld", language, name=name, what=what) for name, what in withheld(job, language).items()]
    if left := left_to_the_script(job, language):
        said.append(say("left", language, names=", ".join(_STARTING), left=left))
    if job.recipe.param_dtype == "bf16" and job.recipe.reduce_dtype == "fp32":
        names = [name for name in (accelerate_yaml.NAME, trainer_json.NAME) if name not in withheld(job)]
        said.append(say("reduced", language, names=", ".join(names), file=accelerate_yaml.NAME))
    return tuple(said)
