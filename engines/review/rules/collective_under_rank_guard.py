"""FSDP040: a collective that only some ranks reach.

Silent for: FSDP2's `state_dict()` (no communication), guards on ranks of a sub-group,
conditions that a collective made equal on all ranks, and collectives that the other arm of
the condition issues as well.
"""

import ast
import re
from collections.abc import Iterator

from engines.review.flow.knowing import is_true, objects, options, origins
from engines.review.flow.lightning import uses_fsdp
from engines.review.flow.names import DCP, DISTRIBUTED, FSDP1, NN_CLIP, STATE
from engines.review.flow.optimizers import parameter_owners
from engines.review.flow.ranks import opposite
from engines.review.flow.trace import Event, Guard, compatible, in_caller, qualname
from engines.review.flow.training import computed_from, forwards, same_object, type_tested
from engines.review.flow.values import Const, Obj
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP040",
    slug="collective-under-rank-guard",
    severity="error",
    fix="Run the collective on every rank; keep only the writing or printing under the rank condition.",
)

_DCP = tuple(f"{DCP}.{name}" for name in ("save", "load", "async_save", "save_state_dict", "load_state_dict"))
_STATE = tuple(
    f"{STATE}.{name}"
    for name in ("get_model_state_dict", "get_optimizer_state_dict", "get_state_dict",
                 "set_model_state_dict", "set_optimizer_state_dict", "set_state_dict")
)  # fmt: skip
_FSDP1 = tuple(
    f"{FSDP1}.{name}"
    for name in ("summon_full_params", "optim_state_dict", "full_optim_state_dict", "sharded_optim_state_dict",
                 "scatter_full_optim_state_dict")
)  # fmt: skip

_REDUCING = tuple(
    f"{DISTRIBUTED}.{name}"
    for name in ("all_reduce", "reduce", "reduce_scatter", "reduce_scatter_tensor", "all_gather", "all_to_all",
                 "all_gather_into_tensor", "all_gather_object", "all_to_all_single", "monitored_barrier")
)  # fmt: skip
_FROM_ONE = tuple(
    f"{DISTRIBUTED}.{name}"
    for name in ("broadcast", "broadcast_object_list", "scatter", "scatter_object_list", "gather", "gather_object")
)
"""Collectives with a source or a destination, which code may call from two places: one for each side."""

_SHARDS = re.compile(r"shard|fsdp|parallel|wrap", re.IGNORECASE)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the first collective under each condition that parts the ranks."""
    reported: set[int] = set()
    results = {id(o) for forward in forwards(flow.sharding) for o in options(forward.result)}
    for event, what in _collectives(flow):
        parting = _parting_guard(event) or _own_metric(flow, event, results)
        guard = None if flow.single_process(event) else parting
        if guard is None or guard.branch in reported or _other_arm_joins(flow, event, guard):
            continue
        reported.add(guard.branch)
        above = in_caller(event, guard)
        place = (guard.module, guard.node) if above else (event.module, event.node)
        line = getattr(guard.node, "lineno", 1)
        where = f"({event.module.path}:{event.line})" if above else f"under the condition at line {line}"
        lead = "leads to " if above else ""
        hit = at(*place, f"{lead}{what} {where}, which only some ranks reach: the others never join, the job hangs")
        yield hit.beside(event, what) if above else hit.beside(guard, "the condition")


def _collectives(flow: Flow) -> list[tuple[Event, str]]:
    found = [(event, _last(event.qual)) for event in flow.trace.calls(*_DCP) if _joins_process_group(event)]
    found += [
        (event, _last(event.qual))
        for event in flow.trace.calls(*_STATE)
        if _full(event) and not _not_yet_sharded(flow, event)
    ]
    found += [(event, _last(event.qual)) for event in flow.trace.calls(*_FSDP1)]
    found += [
        (event, _last(event.qual)) for event in flow.trace.calls(*_REDUCING, *_FROM_ONE) if _whole_job(flow, event)
    ]
    found += [(event, "full_tensor()") for event in flow.trace.methods("full_tensor") if _gathers(flow, event)]
    found += [
        (event, "FSDP1's state_dict()") for event in flow.trace.methods("state_dict") if _fsdp1_state(flow, event)
    ]
    found += [(event, "clip_grad_norm_") for event in _clips(flow)]
    found += [
        (event, "a forward pass of a sharded module")
        for event in flow.trace.objects_called
        if flow.sharding.unit_kinds(event.callee, event)
    ]
    found += [
        (event, f"{event.method}() of a sharded module")
        for event in flow.trace.methods("generate", "forward")
        if flow.sharding.unit_kinds(event.receiver, event)
    ]
    found += list(_of_frameworks(flow))
    return sorted(found, key=lambda pair: pair[0].seq)


def _not_yet_sharded(flow: Flow, event: Event) -> bool:
    """Tell whether the model is sharded later, here or by a function outside the review."""
    model = event.arg(0, "model")
    if flow.sharding.comes_later(model, event):
        return True
    if flow.sharding.kinds(model, event):
        return False
    for later in flow.trace.events:
        if later.run == event.run and later.seq > event.seq and later.kind == "call":
            callee = later.callee
            name = later.qual or later.method or (callee.label if isinstance(callee, Obj) else "")
            if _SHARDS.search(name) and any(same_object(value, model) for value in later.args):
                return True
    return False


def _of_frameworks(flow: Flow) -> Iterator[tuple[Event, str]]:
    """Accelerate's and Lightning's calls that gather a sharded model."""
    if flow.mentions("FullyShardedDataParallelPlugin", "DistributedType.FSDP", "fsdp_plugin"):
        for event in flow.trace.methods("get_state_dict", "save_state", "save_model"):
            if any(obj.qual == "accelerate.Accelerator" for obj in objects(event.receiver)):
                yield event, f"accelerator.{event.method}()"
    for event in flow.trace.methods("save_checkpoint", "save"):
        for obj in objects(event.receiver):
            made = obj.made
            is_trainer = obj.qual.startswith("lightning.pytorch.Trainer") and event.method == "save_checkpoint"
            is_fabric = obj.qual == "lightning.fabric.Fabric" and event.method == "save"
            if made is not None and (is_trainer or is_fabric) and uses_fsdp(made):
                yield event, f"{event.method}() under FSDP"


def _last(qual: str) -> str:
    return qual.rpartition(".")[2]


def _joins_process_group(event: Event) -> bool:
    return not is_true(event.kwargs.get("no_dist")) and "process_group" not in event.kwargs


def _whole_job(flow: Flow, event: Event) -> bool:
    """Tell whether a plain collective is over all ranks, and no other place calls it for the other side."""
    group = event.kwargs.get("group")
    if group is not None and not (isinstance(group, Const) and group.value is None and not _made_elsewhere(event)):
        return False
    if event.qual not in _FROM_ONE:
        return True
    if any(_SHARDS.search(_text(guard.node)) for guard in event.guards):
        return False  # a path of its own for sharded models, which the caller may not take
    others = [other for other in flow.trace.by_qual.get(event.qual, ()) if other.node is not event.node]
    return not others and not flow.mentions(f"{_last(event.qual)}(", times=2)


def _made_elsewhere(event: Event) -> bool:
    """Tell whether the group is asked of a function or of a global, which is None only until it is set up."""
    written = event.keyword("group")
    if isinstance(written, ast.Name):
        return bool(re.search(rf"^\s*global .*\b{written.id}\b", event.module.code, re.MULTILINE))
    return isinstance(written, ast.Call)


def _text(node: ast.AST) -> str:
    """Return how a condition is written."""
    return ast.unparse(node.test) if isinstance(node, ast.If | ast.While) else ""


def _gathers(flow: Flow, event: Event) -> bool:
    """Tell whether full_tensor() is of a DTensor: where code asks for the type, the model must be known."""
    owners = parameter_owners(event.receiver)
    for source in origins(event.receiver, 30):
        made = source.made if isinstance(source, Obj) else None
        owners += objects(made.receiver) if made is not None and made.method == "state_dict" else ()
    return not type_tested(event) or any(flow.sharding.is_sharded(owner, event, "fsdp2") for owner in owners)


def _full(event: Event) -> bool:
    """Only a full state dict communicates."""
    for value in (*event.args, *event.kwargs.values()):
        for option in options(value):
            if isinstance(option, Obj) and option.qual == f"{STATE}.StateDictOptions" and option.made is not None:
                return is_true(option.made.arg(0, "full_state_dict"))
    return False


def _fsdp1_state(flow: Flow, event: Event) -> bool:
    for context in event.withs:
        for option in options(context):
            if isinstance(option, Obj) and option.qual == f"{FSDP1}.state_dict_type" and option.made is not None:
                kind = option.made.arg(1, "state_dict_type")
                return kind is None or "LOCAL" not in qualname(kind)
    return flow.sharding.is_sharded(event.receiver, event, "fsdp1")


def _clips(flow: Flow) -> Iterator[Event]:
    for event in flow.trace.methods("clip_grad_norm_"):
        if flow.sharding.is_sharded(event.receiver, event, "fsdp1"):
            yield event
    for event in flow.trace.calls(NN_CLIP):
        owners = parameter_owners(event.arg(0, "parameters"))
        if any(flow.sharding.is_sharded(owner, event, "fsdp2") for owner in owners):
            yield event


def _own_metric(flow: Flow, event: Event, results: set[int]) -> Guard | None:
    """Return a condition on this rank's own loss that decides whether a checkpoint is gathered or written."""
    if not event.qual and event.method not in ("full_tensor", "state_dict"):
        return None
    if flow.mentions("all_reduce"):
        return None
    for guard in event.guards:
        by_condition = guard.kind == "if" and isinstance(guard.node, ast.If)
        if by_condition and computed_from(guard.test, lambda obj: id(obj) in results) is not None:
            return guard
    return None


def _parting_guard(event: Event) -> Guard | None:
    for guard in event.guards:
        if guard.divergent and guard.kind != "except":
            return guard
    return None


def _other_arm_joins(flow: Flow, event: Event, guard: Guard) -> bool:
    """Tell whether the ranks of the other arm issue the same collective, in a condition of their own or after it."""
    same = flow.trace.by_qual.get(event.qual, []) if event.qual else flow.trace.by_method.get(event.method, [])
    if not event.qual and not event.method:
        same = flow.trace.objects_called
    for other in same:
        if _instead(event, guard, other):
            return True
        for theirs in other.guards:
            same_test = theirs.branch == guard.branch or (guard.key is not None and theirs.key == guard.key)
            if same_test and theirs.arm != guard.arm:
                return True
            if other.run == event.run and opposite(guard.test, guard.arm == 0, theirs.test, theirs.arm == 0):
                return True
    return False


def _instead(event: Event, guard: Guard, other: Event) -> bool:
    """Tell whether ranks that leave (continue, return) after the collective have done so in place of a later one."""
    if other.seq <= event.seq or other.run != event.run or other.loops != event.loops or other.stack != event.stack:
        return False
    bound = any(theirs.branch == guard.branch and theirs.arm == guard.arm for theirs in other.guards)
    return not bound and not compatible(event, other)
