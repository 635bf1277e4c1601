"""FSDP052: the root's parameters stay unsharded after a forward, and code relies on that.

(a) a forward without gradients between backward and step: the step updates the shards, the
next forward reads the stale full copy; (b) parameters edited in place after such a forward;
(c) an optimizer that is built after a forward holds temporary tensors. Evaluation after the
step is safe, and so is a root that reshards.
"""

from collections.abc import Iterator

from engines.review.flow.knowing import is_true, objects
from engines.review.flow.names import DCP, FULLY_SHARD
from engines.review.flow.optimizers import optimizers, parameter_owners
from engines.review.flow.sharding import base, within
from engines.review.flow.trace import Event
from engines.review.flow.training import backwards, forwards, in_same_loop, loop_of, steps, without_grad
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP052",
    slug="stale-unsharded-root",
    severity="error",
    fix="Move it behind the step, or reshard() every FSDPModule, or give the root reshard_after_forward=True.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield forwards between backward and step, and optimizers built after a forward."""
    if _root_reshards(flow) or any(True for _ in flow.trace.methods("reshard")):
        return
    passes = list(forwards(flow.sharding))
    yield from _between(flow, passes)
    yield from _built_late(flow, passes)
    yield from _edited(flow, passes)


def _root_reshards(flow: Flow) -> bool:
    for event in flow.trace.calls(FULLY_SHARD):
        elements = any(obj.op in ("elem", "descendant") for obj in objects(event.arg(0, "module")))
        if not elements and is_true(event.kwargs.get("reshard_after_forward")):
            return True
    return False


def _between(flow: Flow, passes: list[Event]) -> Iterator[Hit]:
    stepped, back = list(steps(flow.trace)), list(backwards(flow.trace))
    reported: set[int] = set()
    for probe in (event for event in passes if without_grad(event)):
        for step in stepped:
            earlier = [b for b in back if flow.trace.before(b, probe) and _in_one_round(step, b)]
            near = flow.trace.before(probe, step) and _in_one_round(step, probe)
            if not earlier or not near or _stepped(flow, stepped, earlier[-1], probe) or probe.line in reported:
                continue
            reported.add(probe.line)
            deeper = probe.stack[len(step.stack) :]
            place = (deeper[0].module, deeper[0].node) if deeper else (probe.module, probe.node)
            yield at(
                *place,
                f"a forward between backward (line {earlier[-1].line}) and step (line {step.line}) leaves the root"
                " unsharded: the next forward reads parameters from before the step",
            )


def _in_one_round(step: Event, event: Event) -> bool:
    """Tell whether an event lies in the step's loop, or both in a function of one step that has no loop itself."""
    if loop_of(step) is None:
        return loop_of(event) is None and event.run == step.run
    return in_same_loop(step, event)


def _stepped(flow: Flow, stepped: list[Event], back: Event, probe: Event) -> bool:
    """Tell whether the gradients were used before the probe."""
    return any(flow.trace.before(back, step) and flow.trace.before(step, probe) for step in stepped)


def _built_late(flow: Flow, passes: list[Event]) -> Iterator[Hit]:
    for event, owners in optimizers(flow.trace):
        for owner in owners:
            shards = [s.event for s in flow.sharding.shards if flow.sharding.touches(s, owner)]
            for earlier in passes:
                same = any(within(base(owner), base(obj)) for obj in objects(earlier.callee))
                if not same or not flow.trace.before(earlier, event):
                    continue
                if any(flow.trace.before(s, earlier) for s in shards) and not (
                    _again(shards, earlier, event) or _between_them(flow, earlier, event)
                ):
                    yield flow.hit(
                        event, f"it is built after a forward (line {earlier.line}) that left the root unsharded"
                    )
                    return


def _edited(flow: Flow, passes: list[Event]) -> Iterator[Hit]:
    """Parameters that are written in place while the last forward, without gradients, has them gathered."""
    idle = [event for event in passes if without_grad(event)]
    for event in flow.trace.methods("copy_", "mul_", "add_", "lerp_", "zero_", "fill_", "clamp_", "masked_fill_"):
        owners = _written(event)
        for earlier in idle:
            same = any(within(base(owner), base(obj)) for owner in owners for obj in objects(earlier.callee))
            if (
                same
                and not any(_in_own_unit(flow, owner) for owner in owners)
                and earlier.run == event.run
                and flow.trace.before(earlier, event)
                and not _between_them(flow, earlier, event)
            ):
                yield flow.hit(event, f"the forward at line {earlier.line} left the root gathered: this edit is lost")
                return


def _in_own_unit(flow: Flow, owner: Obj) -> bool:
    """Tell whether a part is in a unit below the root, which is sharded again after each forward."""
    part = base(owner)
    units = [target for shard in flow.sharding.shards for target in shard.targets]
    return part.parent is not None and any(unit.parent is not None and within(part, unit) for unit in units)


def _written(event: Event) -> list[Obj]:
    """Return the modules whose parameters (not gradients) a method writes."""
    for obj in objects(event.receiver):
        of_data = obj.op == "attr" and obj.label.endswith(".data")
        parameter = obj.parent if of_data and obj.parent is not None else obj
        if parameter.op == "elem" and parameter.label == "parameter":
            return parameter_owners(parameter)
        if parameter.op == "attr" and parameter.label.endswith((".weight", ".bias")) and parameter.parent is not None:
            return [parameter.parent]
    return []


def _between_them(flow: Flow, earlier: Event, later: Event) -> bool:
    """Tell whether anything reshards the root in between: a backward, a state dict, another wrap."""
    resharding = (
        *backwards(flow.trace),
        *flow.trace.methods("state_dict", "load_state_dict", "reshard"),
        *(event for qual, events in flow.trace.by_qual.items() if qual.startswith(DCP) for event in events),
    )
    return any(earlier.seq < event.seq < later.seq for event in resharding)


def _again(shards: list[Event], earlier: Event, event: Event) -> bool:
    return any(earlier.seq < shard.seq < event.seq for shard in shards)
