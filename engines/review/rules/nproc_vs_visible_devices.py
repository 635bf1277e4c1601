"""LN412: more processes on a node than it has visible GPUs."""

from collections.abc import Iterator

from engines.review.rule import Hit, Rule
from engines.review.scripts import Script

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
        processes = (
            script.number(command.option("--nproc-per-node")) if command.launcher() in ("torchrun", "launch") else None
        )
        available = _visible(script)
        if processes is not None and available is not None and processes > available:
            yield Hit(
                script.path,
                command.line,
                1,
                f"{processes} processes for {available} visible GPUs: invalid device ordinal",
            )


def _visible(script: Script) -> int | None:
    shown = script.setting("CUDA_VISIBLE_DEVICES")
    if shown is not None:
        devices = [part for part in shown.value.strip("\"'").split(",") if part]
        return len(devices) if devices and "$" not in shown.value else None
    directive = script.directive("gpus-per-node", "gres")
    return script.number(directive.value.rpartition(":")[2]) if directive is not None else None
