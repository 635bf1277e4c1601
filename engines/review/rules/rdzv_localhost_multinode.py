"""LN411: the nodes are to meet at localhost, where each of them meets itself."""

import re
from collections.abc import Iterator

from engines.review.rule import Hit, Rule
from engines.review.scripts import Command, Script

RULE = Rule(
    id="LN411",
    slug="rdzv-localhost-multinode",
    severity="error",
    fix="The address of the first node: $(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)",
    reads="launch",
)

_LOCAL = re.compile(r"^[\"']?(localhost|127\.0\.0\.1|\[?::1\]?)(:|$|[\"'])")


def check(script: Script) -> Iterator[Hit]:
    """Yield rendezvous addresses of this machine in jobs of several nodes."""
    for command in script.commands:
        if command.launcher() not in ("torchrun", "launch") or not _several(script, command):
            continue
        if command.option("--node-rank") == "0":
            continue  # the first node itself
        for name in ("--rdzv-endpoint", "--master-addr"):
            value = command.option(name)
            if value is not None and _LOCAL.search(_held(script, value)):
                yield Hit(script.path, command.line, 1, f"{name}={value}: each node meets itself there")
    address = script.setting("MASTER_ADDR")
    if address is not None and _LOCAL.search(address.value) and any(_several(script, c) for c in script.commands):
        yield Hit(script.path, address.line, 1, "MASTER_ADDR is this machine on every node")


def _several(script: Script, command: Command) -> bool:
    own = script.number((command.option("--nnodes") or "").rpartition(":")[2] or None)
    return (own if own is not None else script.nodes() or 1) > 1


def _held(script: Script, value: str) -> str:
    name = re.match(r"\$\{?(\w+)\}?", value)
    held = script.setting(name[1]) if name is not None else None
    return held.value if held is not None else value
