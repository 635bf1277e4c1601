"""FSDP010: trainable parameters of different dtype in one fully_shard unit.

Frozen parameters may have another dtype. Said where a part is cast and the rest is not.
"""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, objects, qual_in_guards
from engines.review.flow.precision import cast, dtype_name
from engines.review.flow.sharding import Shard, base, chain, within
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP010",
    slug="mixed-dtype-unit",
    severity="error",
    fix="Cast the whole model alike, or shard the part as a unit of its own.",
    torch=">=2.4",
)


_LAYERS = ("Linear", "Embedding", "LayerNorm", "RMSNorm", "Conv1d", "Conv2d", "Conv3d", "GroupNorm", "Bilinear")
"""Layers of torch that hold parameters and take a dtype."""


def check(flow: Flow) -> Iterator[Hit]:
    """Yield casts and constructors of a part that leave its unit with two dtypes."""
    yield from _made_apart(flow)
    casts = [(event, cast(event)) for event in flow.trace.methods("to", "half", "bfloat16", "float", "double")]
    casts = [(event, dtype) for event, dtype in casts if dtype]
    for event, dtype in casts:
        for part in (base(obj) for obj in objects(event.receiver)):
            unit = _unit(flow, part, event)
            if unit is None or _frozen(flow, part) or any(g.kind == "except" for g in event.guards):
                continue
            whole = _dtype_of_whole(casts, part, event, flow) or _dtype_of_siblings(casts, part, unit, flow)
            if whole is not None and whole != dtype and not _cast_later(casts, part, unit, event):
                yield flow.hit(
                    event,
                    f"{part.label} becomes {dtype} and the rest of its unit is {whole}: the first forward refuses it",
                )


def _made_apart(flow: Flow) -> Iterator[Hit]:
    """Yield parts of a unit that are made with another dtype than the other parts."""
    for shard in flow.sharding.shards:
        if shard.kind != "fsdp2" or len(shard.targets) != 1:
            continue
        (target,) = shard.targets
        found = [(part, _made_dtype(part)) for name, part in flow.shapes.parts(target) if name != "weight"]
        known = [(part, dtype) for part, dtype in found if dtype]
        given = [dtype for _, dtype in known if dtype != "float32"]
        if (
            not given
            or "?" in given
            or any(t is not target and within(t, target) for s in flow.sharding.shards for t in s.targets)
        ):
            continue
        apart = next((part for part, dtype in known if dtype != known[0][1]), None)
        if apart is not None and apart.made is not None and not _cast_whole(flow, target):
            yield flow.hit(
                apart.made, f"{target.label or 'the unit'} has parameters of {known[0][1]} and of {dict(known)[apart]}"
            )


def _made_dtype(part: Obj) -> str:
    """Return the dtype with which a layer of torch makes its parameters, "" where it has none."""
    if part.made is None or not part.qual.startswith("torch.nn.") or part.qual.rpartition(".")[2] not in _LAYERS:
        return ""
    return dtype_name(part.made.kwargs.get("dtype")) or ("?" if "**" in part.made.kwargs else "float32")


def _cast_whole(flow: Flow, target: Obj) -> bool:
    """Tell whether anything is cast, or frozen: the dtypes are then not those of the constructors."""
    casts = flow.trace.methods("to", "half", "bfloat16", "float", "requires_grad_")
    for event in casts:
        concerned = any(within(base(o), target) or within(target, base(o)) for o in objects(event.receiver))
        if concerned and (cast(event) or event.method == "requires_grad_"):
            return True
    return _frozen(flow, target)


def _unit(flow: Flow, part: Obj, event: Event) -> Shard | None:
    """Return the unit that takes a part together with others, None where it has its own."""
    if part.parent is None:
        return None
    if part.op == "descendant":
        return _unit_of_chosen(flow, part, event)
    later = [s for s in flow.sharding.shards if s.kind == "fsdp2" and flow.trace.before(event, s.event)]
    around = [s for s in later if any(within(part, target) for target in s.targets)]
    if any(target is part or within(target, part) for s in later for target in s.targets):
        return None
    if any(target.op == "descendant" for s in later for target in s.targets):
        return None
    return around[0] if around else None


def _unit_of_chosen(flow: Flow, part: Obj, event: Event) -> Shard | None:
    """Return a unit of layers that holds what a walk has chosen by its class."""
    if not qual_in_guards(event, "isinstance") or part.parent is None:
        return None
    later = [s for s in flow.sharding.shards if s.kind == "fsdp2" and flow.trace.before(event, s.event)]
    if any(target.op == "descendant" for s in later for target in s.targets):
        return None
    layers = [s for s in later if any(t.op == "elem" and within(t, part.parent) for t in s.targets)]
    return layers[0] if layers else None


def _dtype_of_whole(casts: list[tuple[Event, str]], part: Obj, event: Event, flow: Flow) -> str | None:
    """Return the dtype of the modules around a part; float32 for a model made here and never cast."""
    around = [link for link in chain(part) if link is not part]
    before = [
        dtype
        for other, dtype in casts
        if flow.trace.before(other, event)
        and any(base(obj) is link for obj in objects(other.receiver) for link in around)
    ]
    if before:
        return before[-1]
    made = next((cast(link.made) for link in around if link.made is not None and cast(link.made)), "")
    if made:
        return made
    top = around[-1] if around else part
    if top.op == "new" and not top.symbolic:
        return "float32"
    if top.made is not None and top.made.qual.endswith("from_pretrained"):
        dtype = top.made.kwargs.get("torch_dtype") or top.made.kwargs.get("dtype")
        name = dtype_name(dtype)
        return name if name.startswith(("float", "bfloat")) else None
    return None


def _dtype_of_siblings(casts: list[tuple[Event, str]], part: Obj, unit: Shard, flow: Flow) -> str | None:
    """Return the dtype in which the class of a unit makes its other layers, None where that is not known.

    A model that is handed in may have been cast before; who casts one part then says that the others are not.
    """
    target = next((target for target in unit.targets if within(part, target) and target is not part), None)
    if target is None or any(
        base(o) is not part and within(base(o), target) for e, _ in casts for o in objects(e.receiver)
    ):
        return None
    name = next((name for name, value in target.attrs.items() if value is part), "")
    found = {_made_dtype(other) for label, other in _children(flow, target) if label != name} - {""}
    return found.pop() if len(found) == 1 and "?" not in found else None


def _children(flow: Flow, target: Obj) -> Iterator[tuple[str, Obj]]:
    """Yield the layers of a module's class under the attribute that holds them."""
    cls = flow.shapes.class_of(target)
    for name, value in flow.shapes.template(cls).attrs.items() if cls is not None else ():
        if isinstance(value, Obj):
            yield name, value
            yield from ((name, inner) for _, inner in flow.shapes.parts(value))


def _cast_later(casts: list[tuple[Event, str]], part: Obj, unit: Shard, event: Event) -> bool:
    """Tell whether the whole is cast again before it is sharded."""
    around = [link for link in chain(part) if link is not part]
    return any(
        event.seq < other.seq < unit.event.seq
        and any(base(obj) is link for obj in objects(other.receiver) for link in around)
        for other, _ in casts
    )


def _frozen(flow: Flow, part: Obj) -> bool:
    for event in flow.trace.methods("requires_grad_"):
        given = event.arg(0, "requires_grad")
        if constant(given) is False and any(within(part, base(obj)) for obj in objects(event.receiver)):
            return True
    return any(event.name == "requires_grad" for event in flow.trace.kind("setattr"))
