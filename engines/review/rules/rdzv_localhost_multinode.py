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


_OWN = re.compile(r"\$\(hostname|`hostname|\$\{?(HOSTNAME|SLURMD_NODENAME)\b")
"""What is another name on each node."""


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
    for setting in script.settings:
        if setting.name == "MASTER_ADDR" and setting.each_node and _OWN.match(setting.value):
            yield Hit(script.path, setting.line, 1, "MASTER_ADDR is evaluated on each node: every one names itself")
            return
    address = script.setting("MASTER_ADDR")
    if address is not None and _LOCAL.search(address.value) and any(_several(script, c) for c in script.commands):
        yield Hit(script.path, address.line, 1, "MASTER_ADDR is this machine on every node")


def _several(script: Script, command: Command) -> bool:
    given = command.option("--nnodes") or ""
    own = script.number((given.rpartition(":")[2] if re.fullmatch(r"\d+:\d+", given) else given) or None)
    return (own if own is not None else script.nodes() or 1) > 1


def _held(script: Script, value: str) -> str:
    name = re.match(r"\$\{?\w+\}?", value)
    return script.held(name[0]) if name is not None else value
