"""FSDP087: each rank loops over its own slice of the data, and the slices may differ in length.

DistributedSampler pads to equal length. Silent with a fixed number of steps or where ranks
agree in each round (a collective in the loop).
"""

import ast
from collections.abc import Iterator

from engines.review.flow.core import MADE_BY
from engines.review.flow.knowing import options, origins
from engines.review.flow.trace import Event
from engines.review.flow.training import backwards, made_from, module_of_loop
from engines.review.flow.values import Class, Function, Obj, Value
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP087",
    slug="uneven-batches",
    severity="error",
    fix="Run a fixed number of steps, or all_reduce(has_data, MIN) in each round.",
)

_AGREE = tuple(f"torch.distributed.{name}" for name in ("all_reduce", "broadcast", "all_gather", "all_gather_object"))
_ENDLESS = ("itertools.cycle", "itertools.repeat", "itertools.count")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield rank-dependent slices that drive a training loop."""
    slices = {id(event.result): event for event in flow.trace.kind("slice")}
    reported: set[int] = set()
    if not flow.shards_anything():
        return
    for back in backwards(flow.trace):
        for loop in back.loops:
            for iterated in flow.trace.iterated.get(id(loop), ()):
                source = made_from(iterated, _rank_slice) or _sliced_inside(flow, iterated)
                if source is None or id(source) in reported or _agreed(flow, loop):
                    continue
                if made_from(iterated, lambda obj: obj.qual in _ENDLESS) is None:
                    reported.add(id(source))
                    made = source.made or slices.get(id(source), back)
                    where = f"{made.module.path}:{made.line}"
                    yield at(
                        module_of_loop(back, loop),
                        loop,
                        f"ranks loop over slices of different length ({where}): the loop ends earlier on some",
                    ).beside(made, "each rank takes its own part here")


def _sliced_inside(flow: Flow, iterated: Value) -> Obj | None:
    """Return a rank-dependent slice in the `__iter__` of a data set of the project."""
    made_by = [source.attrs.get(MADE_BY) for source in origins(iterated, 40) if isinstance(source, Obj)]
    generators = {function.key for function in made_by if isinstance(function, Function)}
    classes = {id(source.cls) for source in origins(iterated, 40) if isinstance(source, Obj) and source.cls is not None}
    classes |= {id(made.owner) for made in made_by if isinstance(made, Function) and made.owner is not None}
    for event in (*flow.trace.kind("slice"), *flow.trace.calls("range", "itertools.islice"), *_remainders(flow)):
        function = event.function()
        inside = function is not None and function.name in ("__iter__", "__init__") and id(function.owner) in classes
        if inside and function is not None and function.name == "__init__" and _has_length(function.owner):
            continue
        inside = inside or any(site.callee.key in generators for site in event.stack)
        if inside and isinstance(event.result, Obj) and _rank_slice(event.result):
            return event.result
    return None


def _remainders(flow: Flow) -> Iterator[Event]:
    """Yield comparisons of index % world size with the rank, by which a generator skips what is another rank's."""
    for event in flow.trace.kind("compare"):
        remainder = any(isinstance(value, Obj) and value.op == "expr" and value.label == "Mod" for value in event.args)
        if remainder and event.name in ("==", "!=") and any(_is_rank(value) for value in event.args):
            event.result = Obj("compare", "==", sources=event.args, node=event.node, made=event)
            yield event


def _has_length(owner: Class | None) -> bool:
    """A data set with an index is sampled by a sampler, which may pad."""
    return owner is None or owner.member("__getitem__") is not None


def _agreed(flow: Flow, loop: ast.AST) -> bool:
    """A collective of the user's own in the loop, or a step count that ends it."""
    if any(loop in other.loops for other in flow.trace.calls(*_AGREE)):
        return True
    return any(jump.name == "break" and loop in jump.loops for jump in flow.trace.kind("jump"))


def _rank_slice(obj: Obj) -> bool:
    """data[rank::world], range(rank, n, world), islice(data, rank, None, world)."""
    if obj.op == "expr" and obj.label == "slice":
        return any(_is_rank(source) for source in obj.sources[1:]) and not _ends_evenly(obj)
    if obj.qual in ("range", "itertools.islice") and obj.made is not None:
        return any(_is_rank(argument) for argument in obj.made.args)
    if obj.op == "compare" and obj.label == "==":
        remainder = any(isinstance(s, Obj) and s.op == "expr" and s.label == "Mod" for s in obj.sources)
        return remainder and any(_is_rank(source) for source in obj.sources)
    return False


def _ends_evenly(part: Obj) -> bool:
    """Tell whether a slice names an end, as samplers do that cut to a multiple of the world size."""
    written = part.node.slice if isinstance(part.node, ast.Subscript) else None
    end = written.upper if isinstance(written, ast.Slice) else None
    return end is not None and not (
        isinstance(end, ast.Call) and isinstance(end.func, ast.Name) and end.func.id == "len"
    )


def _is_rank(value: Value) -> bool:
    return any(isinstance(option, Obj) and option.rank == "global" and not option.uniform for option in options(value))
