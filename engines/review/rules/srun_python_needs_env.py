"""LN405: srun starts python, which waits for RANK and MASTER_ADDR that Slurm does not set."""

import re
from collections.abc import Iterator

from engines.review.flow.written import code_has
from engines.review.rule import Hit, Rule
from engines.review.scripts import Script

RULE = Rule(
    id="LN405",
    slug="srun-python-needs-env",
    severity="error",
    fix="torchrun, or RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID with MASTER_ADDR and MASTER_PORT",
    reads="launch",
)

_READS = re.compile(
    r"""environ(\.get)?[\[(]\s*["'](RANK|LOCAL_RANK|WORLD_SIZE)["']|getenv\(\s*["'](RANK|LOCAL_RANK)["']"""
    r"""|init_process_group\((?![^)]*\b(rank|store)\s*=)"""
)
_ADAPTS = re.compile(r"SLURM_PROCID|SLURM_LOCALID|submitit|lightning|accelerate|tcp://|deepspeed|\bray\b")
_TELLS = re.compile(r"master|world|rank|(--ntasks[= ]|-n ?)1\b", re.IGNORECASE)
"""Words by which a command hands on where the ranks meet, or that it starts one alone."""


def check(script: Script) -> Iterator[Hit]:
    """Yield srun python commands whose script needs variables that nothing exports."""
    if re.search(r"SLURM_PROCID|SLURM_LOCALID|\bRANK=|torchrun", script.written):
        return
    for command in script.commands:
        if command.words[:1] != ("srun",) or command.launcher() != "python":
            continue
        text = script.programs.get(command.program().rpartition("/")[2], _told(script.text))
        if text is not None and _READS.search(text) and not code_has(_ADAPTS, text):
            yield Hit(
                script.path,
                command.line,
                1,
                f"{command.program()} needs RANK and LOCAL_RANK, which nothing sets for srun",
            )
        elif text is None and "MASTER_ADDR" not in script.written and "fsdp" in script.text.lower():
            yield Hit(script.path, command.line, 1, "neither RANK nor MASTER_ADDR is exported", severity="warning")
        elif (
            text is None and "MASTER_PORT" in script.text and not _adapts(script) and not _TELLS.search(command.text())
        ):
            message = "MASTER_ADDR and MASTER_PORT are exported, but nothing sets RANK, WORLD_SIZE and LOCAL_RANK"
            yield Hit(script.path, command.line, 1, message, severity="warning")


def _adapts(script: Script) -> bool:
    """Tell whether the script, or any Python file of the review, knows Slurm's names or another way to start."""
    return bool(_ADAPTS.search(script.written)) or any(code_has(_ADAPTS, text) for text in script.programs.values())


def _told(text: str) -> str | None:
    """Return what the script's comments say of the program that it starts, None where they name no such call."""
    comments = "\n".join(line for line in text.splitlines() if line.lstrip().startswith("#"))
    return comments if _READS.search(comments) else None
