"""FSDP022: the device is chosen by the global rank, which does not exist on the second node.

Silent for spawned ranks of one machine and in tests; an error where the code speaks of several nodes.
"""

import re
from collections.abc import Iterator

from contracts.finding import Severity
from engines.review.flow.knowing import constant, options
from engines.review.flow.names import FSDP1
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP022",
    slug="device-from-global-rank",
    severity="error",
    fix='int(os.environ["LOCAL_RANK"]), or rank % torch.cuda.device_count()',
)

_NODES = re.compile(r"\b(nnodes|num_nodes)\b(?!\s*=?\s*1\b)|node_rank|SLURM_NODEID|LOCAL_WORLD_SIZE", re.IGNORECASE)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield choices of a device that use RANK or get_rank() as they are."""
    if flow.mentions("spawn", "localhost", "127.0.0.1") or not flow.shards_anything():
        return
    severity: Severity = "error" if any(_NODES.search(module.code) for module in flow.modules) else "warning"
    reported: set[str] = set()
    for event in sorted(flow.trace.calls("torch.cuda.set_device", "torch.device", FSDP1), key=lambda event: event.seq):
        if event.module.path not in reported and not event.in_test() and _by_global_rank(event):
            reported.add(event.module.path)
            yield flow.hit(event, "the global rank is no device number on the second node", severity=severity)


def _by_global_rank(event: Event) -> bool:
    if event.qual == FSDP1:
        return _is_global(event.kwargs.get("device_id"))
    if event.qual == "torch.cuda.set_device":
        return any(_is_global(value) or _spelled(value) for value in event.args[:1])
    by_number = len(event.args) > 1 and constant(event.args[0]) == "cuda" and _is_global(event.args[1])
    return by_number or bool(event.args and _spelled(event.args[0]))


def _is_global(value: Value | None) -> bool:
    found = options(value)
    return bool(found) and all(_from_job(option) for option in found)


def _from_job(value: Value) -> bool:
    """get_rank() or RANK, perhaps through int(); a parameter called rank may be anything."""
    if not isinstance(value, Obj) or value.rank != "global":
        return False
    if value.op == "env" or value.qual == "torch.distributed.get_rank":
        return True
    return value.qual == "int" and bool(value.sources) and _from_job(value.sources[0])


def _spelled(value: Value) -> bool:
    """f"cuda:{rank}"."""
    return isinstance(value, Obj) and value.label == "fstring" and any(_from_job(source) for source in value.sources)
