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


def artefacts(job: Job) -> Mapping[str, str]:
    """Return the text of each file by its name."""
    return {
        snippet.NAME: snippet.snippet(job),
        accelerate_yaml.NAME: accelerate_yaml.accelerate_yaml(job),
        trainer_json.NAME: trainer_json.trainer_json(job),
        torchtitan_config.NAME: torchtitan_config.torchtitan_config(job),
        torchtune_yaml.NAME: torchtune_yaml.torchtune_yaml(job),
        launching.TORCHRUN_NAME: launching.torchrun_script(job),
        launching.SLURM_NAME: launching.slurm_script(job),
        trainjob.NAME: trainjob.trainjob_yaml(job),
        skypilot_yaml.NAME: skypilot_yaml.skypilot_yaml(job),
    }
