"""FSDP006: a parameter without a dimension to shard over, in a module that is sharded."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, options
from engines.review.flow.sharding import Shard
from engines.review.flow.values import Obj, Seq, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP006",
    slug="scalar-parameter",
    severity="error",
    fix="Give it the shape [1], or pass it in ignored_params and reduce its gradient yourself.",
)

_ELEMENTWISE = ("log", "exp", "sqrt", "abs", "clone", "float", "to", "detach", "mul", "add")
_FILLED = ("torch.ones", "torch.zeros", "torch.empty", "torch.rand", "torch.randn", "torch.full")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield 0-D parameters of sharded modules, where they are made."""
    reported: set[int] = set()
    reshaped = {event.name for event in flow.trace.kind("setattr")}
    for shard in flow.sharding.shards:
        if _leaves_some_out(shard):
            continue
        for target in shard.targets:
            for name, part in flow.shapes.parts(target):
                made = part.made
                if part.qual != "torch.nn.Parameter" or made is None or id(made) in reported:
                    continue
                if _without_dimension(made.arg(0, "data")) and not (name in reshaped and not _in_init(flow, name)):
                    reported.add(id(made))
                    yield flow.hit(
                        made, f"{name} has no dimension, and {target.label or 'its module'} is sharded over dim 0"
                    )


def _leaves_some_out(shard: Shard) -> bool:
    kwargs = shard.event.kwargs
    return any(name in kwargs for name in ("ignored_params", "ignored_states", "ignored_modules", "**"))


def _in_init(flow: Flow, name: str) -> bool:
    """Tell whether the attribute is set in `__init__` alone."""
    events = [event for event in flow.trace.kind("setattr") if event.name == name]
    return all((function := event.function()) is not None and function.name == "__init__" for event in events)


def _without_dimension(value: Value | None) -> bool:
    return any(_is_scalar(option) for option in options(value))


def _is_scalar(value: Value) -> bool:
    if not isinstance(value, Obj):
        return False
    if value.op == "expr":
        operands = [s for s in value.sources if not _is_number(s)]
        return len(operands) == 1 and _is_scalar(operands[0])
    if value.made is None:
        return False
    if value.qual in ("torch.tensor", "torch.scalar_tensor"):
        data = value.made.arg(0, "data")
        return value.qual == "torch.scalar_tensor" or _is_number(data)
    if value.made.method in _ELEMENTWISE or (value.qual.startswith("torch.") and value.qual[6:] in _ELEMENTWISE):
        inner = value.made.receiver if value.made.method else value.made.arg(0, "input")
        return _without_dimension(inner)
    if value.qual in _FILLED:
        size = value.made.arg(0, "size")
        return isinstance(size, Seq) and not size.items and not size.more
    return False


def _is_number(value: Value | None) -> bool:
    """A literal number, what math makes of one, arithmetic, or a parameter whose default is one."""
    if isinstance(constant(value), int | float):
        return True
    if not isinstance(value, Obj):
        return False
    if value.op == "expr" and value.label != "?":
        return bool(value.sources) and all(_is_number(source) for source in value.sources)
    default = value.attrs.get("[default]")
    return value.qual.startswith(("math.", "float", "numpy.log")) or isinstance(constant(default), float)
