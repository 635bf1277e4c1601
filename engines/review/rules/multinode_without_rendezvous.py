"""LN403: several nodes, and a torchrun that does not know of the others."""

from collections.abc import Iterator, Sequence

from engines.review.rule import Hit, Rule
from engines.review.scripts import Command, Script

RULE = Rule(
    id="LN403",
    slug="multinode-without-rendezvous",
    severity="error",
    fix="--nnodes=$SLURM_NNODES --rdzv-backend=c10d --rdzv-endpoint=$HEAD_NODE:29500 --rdzv-id=$SLURM_JOB_ID",
    reads="launch",
)

_MEET = ("--nnodes", "--rdzv-endpoint", "--rdzv-backend", "--rdzv-id", "--node-rank", "--master-addr", "--rdzv-conf")


_ENDPOINT = ("--rdzv-endpoint", "--master-addr", "--rdzv-conf", "--standalone")
"""Options that say where the nodes meet; torchrun's default is this node itself."""

_PLACES = ("-N", "--nodes", "--nodelist", "-w", "-n", "--ntasks", "-r", "--relative", "-x", "--exclude", "--het-group")
"""Options of srun that choose some of the job's nodes."""


def check(script: Script) -> Iterator[Hit]:
    """Yield torchrun commands in jobs of more than one node that do not say where the nodes meet."""
    asked = script.nodes()
    for command in script.commands:
        options = command.words[: command.words.index(command.program())] if command.program() else command.words
        if command.launcher() not in ("torchrun", "launch") or _hides_options(options):
            continue
        stated = script.number(command.option("--nnodes"))
        nodes = stated or asked
        alone = nodes is None or nodes < 2
        wanted = _ENDPOINT if stated else _MEET
        if not alone and all(command.option(name) is None for name in wanted) and not _for_one_node(script, command):
            yield Hit(
                script.path,
                command.line,
                1,
                f"on {nodes} nodes each torchrun forms a job of its own: nothing tells it of the others",
            )
        elif _other_number(script, command, stated, asked):
            yield Hit(
                script.path,
                command.line,
                1,
                f"--nnodes says {stated}, and srun starts it on all {asked} nodes of the job: some wait in vain",
                "--nnodes=$SLURM_NNODES",
            )


def _other_number(script: Script, command: Command, stated: int | None, asked: int | None) -> bool:
    """Tell whether srun starts a launcher on every node of the job, and each waits for another number of them.

    Args:
        script: The launch script.
        command: A command that starts torchrun.
        stated: Nodes after --nnodes; None for a range or a value that is not known.
        asked: Nodes of the job.
    """
    if stated is None or asked is None or stated < 2 or asked < 2 or command.words[:1] != ("srun",):
        return False
    given = [directive.value for directive in script.directives if directive.name == "nodes"]
    if len(given) != 1 or "-" in given[0]:
        return False  # a range, or the parts of a heterogeneous job
    before = command.words[: next((i for i, word in enumerate(command.words) if _launches(word)), 0)]
    return stated != asked and not any(word.startswith(_PLACES) for word in before) and not _hides_options(before)


def _launches(word: str) -> bool:
    return word.rpartition("/")[2].startswith(("torchrun", "python"))


def _for_one_node(script: Script, command: Command) -> bool:
    """Tell whether the program is also started so that the nodes meet: this is the arm for one node."""
    return any(
        other is not command
        and (other.program(), other.module()) == (command.program(), command.module())
        and any(other.option(name) is not None for name in _ENDPOINT)
        for other in script.commands
    )


def _hides_options(words: Sequence[str]) -> bool:
    """Tell whether a word that is no option's value stands for options that are not known."""
    return any(
        word.startswith("$") and not (before.startswith("--") and "=" not in before)
        for before, word in zip(("", *words), words, strict=False)
    )
