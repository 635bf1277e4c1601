"""LN415: torchrun stands in an sbatch script of several nodes without srun: only the first node starts one."""

from collections.abc import Iterator

from engines.review.rule import Hit, Rule
from engines.review.scripts import Command, Script

RULE = Rule(
    id="LN415",
    slug="torchrun-without-srun",
    severity="error",
    fix="srun --ntasks-per-node=1 torchrun ..., which starts one torchrun on each node",
    reads="launch",
)

_SPAWNERS = frozenset(
    (
        *("srun", "mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prun", "ibrun", "aprun", "jsrun", "flux"),
        *("ssh", "pdsh", "clush", "pssh", "parallel", "parallel-ssh", "xargs", "deepspeed", "ray"),
    )
)
"""Commands that start others on further nodes."""
_SHELLS = frozenset(("bash", "sh", "zsh", "-c", "singularity", "apptainer", "enroot", "torchrun", "python", "python3"))


def check(script: Script) -> Iterator[Hit]:
    """Yield torchrun commands for several nodes that the batch script itself runs, on the first node alone."""
    nodes = script.nodes() if "#SBATCH" in script.text else None
    # a text in quotes or in a here-document may be what the other nodes run
    if nodes is None or nodes < 2 or "<<" in script.written or any(_starts_others(c) for c in script.commands):
        return
    for command in script.commands:
        wanted = command.option("--nnodes")
        if command.launcher() != "torchrun" or wanted is None or _own_words_hidden(command):
            continue
        count = script.number(wanted)
        if wanted.partition(":")[0] == "1" or (count is not None and count < 2):
            continue
        yield Hit(
            script.path,
            command.line,
            1,
            f"sbatch runs this on the first of {nodes} nodes only: it waits for the others until it times out",
        )


def _starts_others(command: Command) -> bool:
    """Tell whether a command may start a launcher, a script or a container on the nodes."""
    names = [word.rpartition("/")[2] for word in command.words]
    spawns = not _SPAWNERS.isdisjoint(names)
    return spawns and any(name in _SHELLS or name.endswith((".sh", ".py")) or "$" in name for name in _after(names))


def _after(names: list[str]) -> list[str]:
    """Return the words that are run: those after the options, where a value of one is no command."""
    start = next((index for index, name in enumerate(names) if name in _SPAWNERS), 0)
    pairs = zip(names[start:], names[start + 1 :], strict=False)
    return [name for before, name in pairs if not name.startswith("--") and not (_is_option(before) and "$" in name)]


def _is_option(word: str) -> bool:
    return word.startswith("-") and "=" not in word


def _own_words_hidden(command: Command) -> bool:
    """Tell whether a variable stands before torchrun: it may hold srun."""
    before = command.words[: next((i for i, word in enumerate(command.words) if "torch" in word), 0)]
    return any(word.startswith("$") for word in before)
