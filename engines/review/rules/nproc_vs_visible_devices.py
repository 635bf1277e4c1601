"""LN412: more processes on a node than it has visible GPUs."""

from collections.abc import Iterator

from engines.review.rule import Hit, Rule
from engines.review.scripts import Command, Script

RULE = Rule(
    id="LN412",
    slug="nproc-vs-visible-devices",
    severity="error",
    fix="Make both numbers the same.",
    reads="launch",
)


def check(script: Script) -> Iterator[Hit]:
    """Yield launches whose number of processes exceeds what the script makes visible."""
    for command in script.commands:
        processes = _processes(script, command)
        available = _visible(script, command)
        if processes is not None and available is not None and processes > available:
            message = f"{processes} processes for {available} visible GPUs: invalid device ordinal"
            yield Hit(script.path, command.line, 1, message)


def _processes(script: Script, command: Command) -> int | None:
    """Return the processes on one node."""
    given = None
    if command.launcher() in ("torchrun", "launch"):
        given = command.option("--nproc-per-node")
    elif command.launcher() == "accelerate" and (script.number(command.option("--num-machines")) or 1) == 1:
        given = command.option("--num-processes")
    return script.number(given) if script.is_certain(given) else None


def _visible(script: Script, command: Command) -> int | None:
    """Return the GPUs that a command can see, None where arms of the script set them differently."""
    shown = script.setting("CUDA_VISIBLE_DEVICES")
    if shown is not None:
        if shown.line != command.line and not script.is_certain("$CUDA_VISIBLE_DEVICES"):
            return None
        devices = [part for part in script.held(shown.value).strip("\"'").split(",") if part]
        return len(devices) if devices and not any("$" in part for part in devices) else None
    directive = script.directive("gpus-per-node", "gres")
    if directive is None:
        total = script.directive("gpus")
        count = script.number(total.value.rpartition(":")[2]) if total is not None else None
        return count // (script.nodes() or 1) if count is not None else None
    return script.number(directive.value.rpartition(":")[2])
