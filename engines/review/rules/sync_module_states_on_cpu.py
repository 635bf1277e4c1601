"""FSDP105: sync_module_states with a module on the CPU and no device to broadcast from."""

from collections.abc import Iterator

from engines.review.flow.knowing import is_given, is_true, objects
from engines.review.flow.sharding import base
from engines.review.flow.values import Obj
from engines.review.flow.written import names_in
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP105",
    slug="sync-module-states-on-cpu",
    severity="error",
    fix="device_id=torch.cuda.current_device()",
    card="cpu-buffers-in-sync",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield wraps that broadcast a model which nothing has moved to a GPU."""
    if flow.mentions("set_default_device"):
        return
    for shard in flow.sharding.shards:
        kwargs = shard.event.kwargs
        if (
            shard.kind != "fsdp1"
            or "**" in kwargs
            or is_given(kwargs.get("device_id"))
            or not is_true(kwargs.get("sync_module_states"))
        ):
            continue
        if shard.targets and all(_stays_on_cpu(flow, target) for target in shard.targets):
            message = "the module is on the CPU: there is no device to broadcast its state from"
            yield flow.hit(shard.event, message, argument="sync_module_states")


def _stays_on_cpu(flow: Flow, target: Obj) -> bool:
    """Tell whether a module is made here, and nothing puts it on a device."""
    if target.op == "new" and not target.symbolic:
        made = None
        if target.cls is not None and any("device" in name for name in names_in(target.cls.node)):
            return False
    elif target.made is not None and target.op == "call":
        made = target.made
    else:
        return False
    if made is not None and (made.withs or {"device_map", "device", "**"} & set(made.kwargs)):
        return False
    moves = flow.trace.methods("cuda", "to")
    return not any(base(obj) is target for event in moves for obj in objects(event.receiver))
