"""What of a plan a form cannot say: such a file is not written, or says so in its first lines."""

from collections.abc import Mapping

from contracts.request import Language
from engines.artefacts import snippet, torchtitan_config, torchtune_yaml, trainer_json
from engines.artefacts.job import Job
from engines.artefacts.snippet import SNIPPET_OPTIMIZERS
from engines.artefacts.torchtune_yaml import TORCHTUNE_OPTIMIZERS
from engines.artefacts.trainer_json import TRAINER_OPTIMIZERS
from engines.artefacts.wording import say

_SAYABLE: Mapping[str, frozenset[str]] = {
    snippet.NAME: frozenset(SNIPPET_OPTIMIZERS),
    trainer_json.NAME: frozenset(TRAINER_OPTIMIZERS),
    torchtitan_config.NAME: frozenset({"adamw"}),
    torchtune_yaml.NAME: frozenset(TORCHTUNE_OPTIMIZERS),
}
"""Files that hold the training itself, with the optimizers that they can name. The others start or shard
a train.py, which makes optimizer and adapters."""


def withheld(job: Job, language: Language = "en") -> Mapping[str, str]:
    """Return the files that would train something else than planned, each with what it cannot say."""
    found = {}
    for name, optimizers in _SAYABLE.items():
        missing = [] if job.optimizer in optimizers else [say("optimizer", language, optimizer=job.optimizer)]
        missing += [say(str(job.method), language)] if job.adapters else []
        if name == trainer_json.NAME and job.recipe.dp_replicate > 1:
            missing.append(say("mesh", language, copies=job.recipe.dp_replicate))
        if missing:
            found[name] = say("and", language).join(missing)
    return found


def left_to_the_script(job: Job, language: Language = "en") -> str:
    """Return what a file that starts or shards train.py leaves to it; empty where it is the default."""
    parts = [] if job.optimizer == "adamw" else [say("optimizer", language, optimizer=job.optimizer)]
    parts += [say(str(job.method), language)] if job.adapters else []
    return say("and", language).join(parts)


def noted(text: str, job: Job) -> str:
    """Return a file with what it leaves to train.py in its first lines; behind `#!`, where it has that."""
    left = left_to_the_script(job)
    if not left:
        return text
    note = f"# Not in this file: {left}. The plan counts on it, and train.py has to make it.\n"
    first, newline, rest = text.partition("\n")
    return first + newline + note + rest if first.startswith("#!") else note + text
