"""LN409: python -m torch.distributed.launch instead of torchrun."""

from collections.abc import Iterator

from engines.review.rule import Hit, Rule
from engines.review.scripts import Script

RULE = Rule(
    id="LN409",
    slug="torch-distributed-launch",
    severity="warning",
    fix="torchrun",
    torch=">=1.9",
    reads="launch",
)


def check(script: Script) -> Iterator[Hit]:
    """Yield commands with the old launcher."""
    for command in script.commands:
        if command.launcher() == "launch":
            yield Hit(
                script.path,
                command.line,
                1,
                "torch.distributed.launch is deprecated; it does not set what torchrun sets",
            )
