"""FSDP042: a full state dict on every rank's GPU, for want of an offload option."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, options
from engines.review.flow.names import FSDP1, STATE
from engines.review.flow.trace import Event
from engines.review.flow.training import type_tested
from engines.review.flow.values import Const, Ext, Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP042",
    slug="full-sd-without-offload",
    severity="warning",
    fix="rank0_only=True, offload_to_cpu=True (FSDP1) or cpu_offload=True (StateDictOptions).",
)

_CONFIGS = ("torch.distributed.fsdp.FullStateDictConfig",)
_GETTERS = tuple(f"{STATE}.get_{name}" for name in ("model_state_dict", "state_dict", "optimizer_state_dict"))

_LOADS = ("load_state_dict", "optim_state_dict_to_load")
_SAVES = ("state_dict", "optim_state_dict", "full_optim_state_dict")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield options of full state dicts that keep everything on the GPU."""
    for event in flow.trace.calls(*_CONFIGS):
        if event.in_test() or flow.single_process(event) or _only_loads(flow, event):
            continue
        offload, rank0 = event.arg(0, "offload_to_cpu"), event.arg(1, "rank0_only")
        if _off(event, offload) and _off(event, rank0):
            yield flow.hit(event, "every rank gathers the whole model on its GPU")
    yield from _without_config(flow)
    yield from _without_context(flow)
    for event in flow.trace.calls(*_GETTERS):
        for value in (*event.args, *event.kwargs.values()):
            for option in options(value):
                made = option.made if isinstance(option, Obj) and option.qual == f"{STATE}.StateDictOptions" else None
                if made is None or constant(made.arg(0, "full_state_dict")) is not True:
                    continue
                if _off(made, made.arg(1, "cpu_offload")) and not flow.single_process(event):
                    yield flow.hit(made, "every rank gathers the whole state dict on its GPU")


def _only_loads(flow: Flow, config: Event) -> bool:
    """Tell whether its context surrounds loads alone, which gather one unit at a time."""
    inside = [event for event in flow.trace.events if event.run == config.run and _around(event, config)]
    names = [event.method or event.qual.rpartition(".")[2] for event in inside if event.kind == "call"]
    return any(name in names for name in _LOADS) and not any(name in names for name in _SAVES)


def _around(event: Event, config: Event) -> bool:
    """Tell whether a with block around an event was given this configuration."""
    made = [option.made for context in event.withs for option in options(context) if isinstance(option, Obj)]
    return any(config.result in (*call.args, *call.kwargs.values()) for call in made if call is not None)


def _without_config(flow: Flow) -> Iterator[Hit]:
    """FULL_STATE_DICT by itself takes the configuration that offloads nothing."""
    for event in flow.trace.calls(f"{FSDP1}.state_dict_type"):
        kind = event.arg(1, "state_dict_type")
        full = isinstance(kind, Ext) and kind.name.endswith(".FULL_STATE_DICT")
        if not full or event.arg(2, "state_dict_config") is not None or "**" in event.kwargs:
            continue
        saves = [one for one in flow.trace.methods("state_dict") if any(event.result is w for w in one.withs)]
        if any(not flow.single_process(one) for one in saves):
            yield flow.hit(event, "every rank gathers the whole model on its GPU: no FullStateDictConfig is given")


def _without_context(flow: Flow) -> Iterator[Hit]:
    """FSDP1's state_dict() outside any context is full, on every rank."""
    if flow.mentions("state_dict_type", "StateDictType"):
        return
    for event in flow.trace.methods("state_dict"):
        by_all = (
            not flow.single_process(event) and not any(guard.divergent for guard in event.guards) and not event.withs
        )
        if by_all and flow.sharding.kinds(event.receiver, event) == {"fsdp1"} and not type_tested(event):
            yield flow.hit(event, "FSDP1's state_dict() gathers the whole model on every rank's GPU")
            return


def _off(event: Event, value: object) -> bool:
    """Tell whether an option is absent or False."""
    if value is None:
        return "**" not in event.kwargs and "*" not in event.kwargs
    return isinstance(value, Const) and value.value is False
