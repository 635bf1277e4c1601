"""LN402: torchrun without --nproc-per-node starts one process, and FSDP shards nothing."""

from collections.abc import Iterator

from engines.review.rule import Hit, Rule
from engines.review.scripts import Script

RULE = Rule(
    id="LN402",
    slug="nproc-default-one",
    severity="warning",
    fix="--nproc-per-node=gpu",
    reads="launch",
)


def check(script: Script) -> Iterator[Hit]:
    """Yield torchrun commands that leave the number of processes to its default of 1."""
    for command in script.commands:
        if command.launcher() not in ("torchrun", "launch") or not (command.program() or command.module()):
            continue
        if command.option("--nproc-per-node") is None and not any(
            "$" in word and "=" not in word for word in _before_program(command.words)
        ):
            yield Hit(
                script.path,
                command.line,
                1,
                "--nproc-per-node is 1 by default: the world size is 1 and nothing is sharded",
            )


def _before_program(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words before the script, among which a variable may hold the option."""
    for index, word in enumerate(words):
        if word.endswith(".py") or (word == "-m" and words[index + 1 : index + 2] != ("torch.distributed.run",)):
            return words[:index]
    return words
