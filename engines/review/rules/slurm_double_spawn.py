"""LN404: Slurm starts a task for each GPU, and each task starts a torchrun with all GPUs."""

from collections.abc import Iterator

from engines.review.rule import Hit, Rule
from engines.review.scripts import Command, Script

RULE = Rule(
    id="LN404",
    slug="slurm-double-spawn",
    severity="error",
    fix="--ntasks-per-node=1 for torchrun, or srun python with a task for each GPU",
    reads="launch",
)


def check(script: Script) -> Iterator[Hit]:
    """Yield the directive that asks for several tasks on a node, under srun torchrun."""
    for command in script.commands:
        if "srun" not in command.words or not _several_workers(script, command):
            continue
        own = command.option("--ntasks-per-node")
        if own is not None:
            if (script.number(own) or 1) > 1:
                yield Hit(script.path, command.line, 1, _message(script.number(own) or 0))
            continue
        found = _tasks_per_node(script)
        if found is not None and found[0] > 1:
            yield Hit(script.path, found[1], 1, _message(found[0]))
            return


def _message(tasks: int) -> str:
    return f"{tasks} tasks on each node start {tasks} launchers, each with a worker for every GPU"


def _several_workers(script: Script, command: Command) -> bool:
    if command.launcher() == "accelerate":
        total, machines = script.number(command.option("--num-processes")), command.option("--num-machines")
        return total is not None and total > (script.number(machines) or script.nodes() or 1)
    processes = command.option("--nproc-per-node") if command.launcher() == "torchrun" else None
    count = script.number(processes)
    return processes is not None and (count is None or count > 1)


def _tasks_per_node(script: Script) -> tuple[int, int] | None:
    """Return the tasks on each node and the line that says so."""
    each = script.directive("ntasks-per-node", "tasks-per-node")
    if each is not None:
        count = script.number(each.value)
        return (count, each.line) if count is not None else None
    total = script.directive("ntasks")
    count, nodes = script.number(total.value) if total is not None else None, script.nodes() or 1
    return (count // nodes, total.line) if total is not None and count is not None and count > nodes else None
