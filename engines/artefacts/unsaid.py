"""What of a plan a form cannot say: such a file is not written, or says so in its first lines."""

from collections.abc import Mapping

from engines.artefacts import snippet, torchtitan_config, torchtune_yaml, trainer_json
from engines.artefacts.job import Job
from engines.artefacts.snippet import SNIPPET_OPTIMIZERS
from engines.artefacts.torchtune_yaml import TORCHTUNE_OPTIMIZERS
from engines.artefacts.trainer_json import TRAINER_OPTIMIZERS

_SAYABLE: Mapping[str, frozenset[str]] = {
    snippet.NAME: frozenset(SNIPPET_OPTIMIZERS),
    trainer_json.NAME: frozenset(TRAINER_OPTIMIZERS),
    torchtitan_config.NAME: frozenset({"adamw"}),
    torchtune_yaml.NAME: frozenset(TORCHTUNE_OPTIMIZERS),
}
"""Files that hold the training itself, with the optimizers that they can name. The others start or shard
a train.py, which makes optimizer and adapters."""


def withheld(job: Job) -> Mapping[str, str]:
    """Return the files that would train something else than planned, each with what it cannot say."""
    found = {}
    for name, optimizers in _SAYABLE.items():
        missing = [] if job.optimizer in optimizers else [f"the optimizer {job.optimizer}"]
        missing += [_adapters(job)] if job.adapters else []
        if name == trainer_json.NAME and job.recipe.dp_replicate > 1:
            missing.append(f"the HSDP mesh of {job.recipe.dp_replicate} replicas")
        if missing:
            found[name] = " and ".join(missing)
    return found


def left_to_the_script(job: Job) -> str:
    """Return what a file that starts or shards train.py leaves to it; empty where it is the default."""
    parts = [] if job.optimizer == "adamw" else [f"the optimizer {job.optimizer}"]
    parts += [_adapters(job)] if job.adapters else []
    return " and ".join(parts)


def noted(text: str, job: Job) -> str:
    """Return a file with what it leaves to train.py in its first lines; behind `#!`, where it has that."""
    left = left_to_the_script(job)
    if not left:
        return text
    note = f"# Not in this file: {left}. The plan counts on it, and train.py has to make it.\n"
    first, newline, rest = text.partition("\n")
    return first + newline + note + rest if first.startswith("#!") else note + text


def _adapters(job: Job) -> str:
    return {"lora": "LoRA adapters on frozen weights", "qlora": "QLoRA adapters on frozen 4-bit weights"}[job.method]
