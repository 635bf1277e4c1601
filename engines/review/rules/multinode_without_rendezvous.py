"""LN403: several nodes, and a torchrun that does not know of the others."""

from collections.abc import Iterator

from engines.review.rule import Hit, Rule
from engines.review.scripts import Script

RULE = Rule(
    id="LN403",
    slug="multinode-without-rendezvous",
    severity="error",
    fix="--nnodes=$SLURM_NNODES --rdzv-backend=c10d --rdzv-endpoint=$HEAD_NODE:29500 --rdzv-id=$SLURM_JOB_ID",
    reads="launch",
)

_MEET = ("--nnodes", "--rdzv-endpoint", "--rdzv-backend", "--rdzv-id", "--node-rank", "--master-addr", "--rdzv-conf")


def check(script: Script) -> Iterator[Hit]:
    """Yield torchrun commands without any of the options, in jobs of more than one node."""
    nodes = script.nodes()
    if nodes is None or nodes < 2:
        return
    for command in script.commands:
        if command.launcher() not in ("torchrun", "launch"):
            continue
        options = command.words[: command.words.index(command.program())] if command.program() else command.words
        hidden = any(word.startswith("$") for word in options)
        if not hidden and all(command.option(name) is None for name in _MEET):
            yield Hit(
                script.path,
                command.line,
                1,
                f"on {nodes} nodes each torchrun forms a job of its own: nothing tells it of the others",
            )
