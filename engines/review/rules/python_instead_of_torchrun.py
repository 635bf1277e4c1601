"""LN401: an FSDP script is started with plain python: one process, or no rank at all.

Silent for scripts that start their ranks themselves.
"""

import re
from collections.abc import Iterator

from engines.review.flow.written import code_has
from engines.review.rule import Hit, Rule
from engines.review.scripts import Command, Script

RULE = Rule(
    id="LN401",
    slug="python-instead-of-torchrun",
    severity="error",
    fix="torchrun --nproc-per-node=gpu script.py",
    reads="launch",
)

_STARTS_ITSELF = re.compile(
    r"spawn\(|lightning|Fabric\(|ray\.|elastic_launch|notebook_launcher|deepspeed|Popen|torchrun"
)
_NOT_TRAINING = re.compile(
    r"convert|export|merge|download|prepare|process|tokeniz|setup|test_|plot|eval|infer|generat|launch"
)
_OFF = ("false", "0", "no", "none", "off")


def check(script: Script) -> Iterator[Hit]:
    """Yield python commands whose script is known, or says of itself, to use FSDP."""
    for command in script.commands:
        if command.launcher() != "python" or "srun" in command.words or script.setting("RANK") is not None:
            continue
        if _uses_fsdp(script, command):
            yield Hit(
                script.path, command.line, 1, f"{command.program()} needs one process for each GPU and gets one in all"
            )


def _by_ray(script: Script) -> bool:
    """Tell whether Ray starts the workers: by a word of a command, or a comment that names the cluster it needs."""
    return bool(re.search(r"\bray\b", script.written) or re.search(r"\bray (cluster|job)\b", script.text))


def _uses_fsdp(script: Script, command: Command) -> bool:
    program = command.program()
    name = program.rpartition("/")[2]
    text = script.programs.get(name)
    if text is not None:
        shards = "fully_shard" in text or "FullyShardedDataParallel" in text
        return shards and "init_process_group" in text and not code_has(_STARTS_ITSELF, text)
    if not program or _NOT_TRAINING.search(name) or _by_ray(script):
        return False
    asked = command.option("--fsdp", "--use-fsdp", "--enable-fsdp")
    if asked is not None and asked.lower() not in _OFF:
        return True
    return "fsdp" in name.lower()
