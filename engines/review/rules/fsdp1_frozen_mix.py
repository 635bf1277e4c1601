"""FSDP015: frozen and trainable parameters in one FSDP1 unit with flat parameters.

Silent where frozen parts are units of their own: wrapped by hand, or layers that a policy wraps one by one.
"""

import ast
from collections.abc import Iterator

from engines.review.flow.attributes import is_module_class
from engines.review.flow.freezing import Switch, switches_of_gradients
from engines.review.flow.knowing import constant, is_true, objects, options
from engines.review.flow.sharding import Shard, base, within, wrappers
from engines.review.flow.trace import Event, compatible
from engines.review.flow.values import Const, Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP015",
    slug="fsdp1-frozen-mix",
    severity="error",
    fix="use_orig_params=True, or wrap the frozen parts separately (lambda policy).",
    torch=">=2.1",
)


_MARKS = ("loralib.mark_only_lora_as_trainable", "peft.inject_adapter_in_model", "peft.mapping.inject_adapter_in_model")
"""Calls that leave the adapters of a model trainable alone."""


def check(flow: Flow) -> Iterator[Hit]:
    """Yield wraps with flat parameters of models that are frozen in part."""
    for shard in flow.sharding.shards:
        kwargs = shard.event.kwargs
        if shard.kind != "fsdp1" or "**" in kwargs or not shard.targets:
            continue
        if "use_orig_params" in kwargs and constant(kwargs["use_orig_params"]) is not False:
            continue
        if _policy_may_part(shard):
            continue
        frozen = _partly_frozen(flow, shard)
        if frozen is not None and frozen.guards and flow.mentions("lambda_auto_wrap_policy", "_or_policy"):
            continue  # the same condition may choose a policy that keeps them apart
        if frozen is not None:
            yield flow.hit(
                shard.event, f"parameters frozen at line {frozen.line} share flat parameters with trainable ones"
            )


def _policy_may_part(shard: Shard) -> bool:
    """A lambda, size or unknown policy may keep frozen and trainable parameters apart, or run."""
    policy = shard.event.kwargs.get("auto_wrap_policy")
    if policy is None:
        return False
    for option in options(policy):
        made = option.made if isinstance(option, Obj) else None
        names = [made.qual, *(getattr(arg, "name", "") for arg in made.args[:1])] if made is not None else []
        if not any(str(name).endswith(("transformer_auto_wrap_policy", "ModuleWrapPolicy")) for name in names):
            return True
    return False


def _partly_frozen(flow: Flow, shard: Shard) -> Event | None:
    """Return what leaves some parameters of a unit frozen and others not, before the wrap."""
    for obj in objects(shard.event.arg(0, "module")):
        for layer in wrappers(obj):
            if layer.made is not None and _adds_adapters(layer.made):
                return layer.made
    for event in flow.trace.calls(*_MARKS):
        if flow.sharding.touches(shard, event.arg(0, "model")) and flow.trace.before(event, shard.event):
            return event
    switches = [switch for switch in switches_of_gradients(flow.trace) if flow.trace.before(switch.event, shard.event)]
    switches.sort(key=lambda switch: switch.event.seq)
    for switch in switches:
        if switch.on is not True and _in_unit(flow, shard, switch) and _of_some(shard, switch):
            return switch.event
    for switch in switches:
        if switch.on is False and any(base(owner) is shard.targets[0] for owner in switch.owners):
            later = _trained_again(flow, shard, switch, switches)
            if later is not None:
                return switch.event
    return None


def _adds_adapters(made: Event) -> bool:
    """Tell whether a call puts trainable adapters into a frozen model."""
    if made.qual == "peft.PeftModel.from_pretrained":
        return is_true(made.kwargs.get("is_trainable"))
    return made.qual == "peft.get_peft_model"


def _in_unit(flow: Flow, shard: Shard, switch: Switch) -> bool:
    """Tell whether the parameters are those of the wrapped module, and of no unit of their own."""
    parts = [base(part) for _, part in flow.shapes.parts(shard.targets[0])]
    return any(
        (within(owner, shard.targets[0]) or base(owner) in parts) and not _unit_of_its_own(flow, shard, owner)
        for owner in switch.owners
    )


def _unit_of_its_own(flow: Flow, shard: Shard, owner: Obj) -> bool:
    """Tell whether a part was wrapped by itself, or is one of the layers that a policy wraps one by one."""
    alone = any(
        within(owner, target) and target is not shard.targets[0]
        for other in flow.sharding.shards
        if other is not shard and compatible(other.event, shard.event)
        for target in other.targets
    )
    return alone or (base(owner).op == "elem" and _wraps_layers(shard) and base(owner) is not shard.targets[0])


def _wraps_layers(shard: Shard) -> bool:
    policy = shard.event.kwargs.get("auto_wrap_policy")
    return policy is not None and not all(isinstance(option, Const) for option in options(policy))


def _of_some(shard: Shard, switch: Switch) -> bool:
    """Tell whether a switch is of some of the unit's parameters, by their place or by a condition on each."""
    event = switch.event
    chosen = any(guard.kind in ("if", "skip") and guard not in shard.event.guards for guard in event.guards)
    if all(base(owner).op == "descendant" for owner in switch.owners):
        return chosen and not _asks_for_units(shard, event)
    if switch.on is None or switch.part or (switch.each and chosen):
        return True
    return not any(base(owner) is shard.targets[0] for owner in switch.owners)


def _asks_for_units(shard: Shard, event: Event) -> bool:
    """Tell whether modules are chosen by a class that the policy names as well: then whole units are frozen."""
    policy = shard.event.kwargs.get("auto_wrap_policy")
    made = [option.made for option in options(policy) if isinstance(option, Obj) and option.made is not None]
    named = {word for one in made for word in _words(one.node)}
    asked = {word for guard in event.guards for word in _words(getattr(guard.node, "test", guard.node))}
    return any(word[:1].isupper() for word in named & asked)


def _words(node: ast.AST) -> set[str]:
    return {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(node)} - {""}


def _trained_again(flow: Flow, shard: Shard, frozen: Switch, switches: list[Switch]) -> Event | None:
    """Return what puts trainable parameters into a unit that was frozen as a whole."""
    for switch in switches:
        later = switch.event.seq > frozen.event.seq and compatible(switch.event, frozen.event)
        if later and switch.on is True and _in_unit(flow, shard, switch) and _of_some(shard, switch):
            return switch.event
    for event in flow.trace.kind("setattr"):
        if not flow.trace.before(frozen.event, event) or not flow.trace.before(event, shard.event):
            continue
        new = any(_is_new_module(flow, option, frozen.event) for option in options(event.args[0]))
        if new and any(within(obj, shard.targets[0]) for obj in objects(event.receiver)):
            return event
    return None


def _is_new_module(flow: Flow, value: Value, frozen: Event) -> bool:
    """Tell whether a value is a module that was made after everything was frozen."""
    if not isinstance(value, Obj) or flow.sharding.kinds(value, frozen):
        return False
    if value.op == "new":
        return value.cls is not None and is_module_class(value.cls)
    made = value.made
    last = value.qual.rpartition(".")[2]
    return value.op == "call" and made is not None and made.seq > frozen.seq and last[:1].isupper() and not value.inner
