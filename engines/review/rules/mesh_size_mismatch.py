"""FSDP023: the sizes of a mesh do not multiply to the world size."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant
from engines.review.flow.names import INIT_MESH
from engines.review.flow.trace import Event
from engines.review.flow.values import Const, Obj, Seq, Value
from engines.review.rule import Flow, Hit, Rule
from engines.review.usage import ranks_of_usage

RULE = Rule(
    id="FSDP023",
    slug="mesh-size-mismatch",
    severity="error",
    fix="Derive one size from the others: world_size // (product of the rest).",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield meshes of (world_size // a, b) with a different from b."""
    for event in flow.trace.calls(INIT_MESH):
        shape = event.arg(1, "mesh_shape")
        if not isinstance(shape, Seq) or shape.more:
            continue
        divisors = [_divisor(item) for item in shape.items]
        product = _product([item for item, divisor in zip(shape.items, divisors, strict=True) if divisor is None])
        started = _initialised(flow, event) or (ranks_of_usage(event.module.text) if len(event.stack) < 4 else None)
        if product is not None and None not in (started,) and all(divisor is None for divisor in divisors):
            if product != started:
                yield flow.hit(event, f"the mesh has {product} ranks, and {started} are started")
            continue
        if any(_is_world_size(item) for item in shape.items) and _others_above_one(shape.items):
            written = any(isinstance(number := constant(item), int) and number > 1 for item in shape.items)
            yield flow.hit(
                event,
                "one size is the world size already: the product is larger than the world",
                severity=None if written else "warning",
            )
            continue
        if any(_multiplied(item) for item in shape.items):
            yield flow.hit(event, "a multiple of the world size is more ranks than there are")
            continue
        if _one_size_too_many(shape.items):
            yield flow.hit(event, "the world size is divided by some of the sizes, not by all: the product is larger")
            continue
        known = [divisor for divisor in divisors if divisor is not None]
        if len(known) == 1 and product is not None and product != known[0]:
            yield flow.hit(
                event,
                f"the mesh has (world_size // {known[0]}) * {product} ranks, which is not the world size",
            )


def _initialised(flow: Flow, event: Event) -> int | None:
    """Return the world size that the process group of the run is given as a number."""
    sizes = {
        constant(start.arg(3, "world_size"))
        for start in flow.trace.calls("torch.distributed.init_process_group")
        if flow.trace.before(start, event)
    }
    size = sizes.pop() if len(sizes) == 1 else None
    return size if isinstance(size, int) and size > 0 else None


def _divisor(size: Value) -> int | None:
    """Return a in world_size // a."""
    if not isinstance(size, Obj) or size.op != "expr" or size.label != "FloorDiv":
        return None
    left, right = size.sources
    divisor = constant(right)
    return divisor if isinstance(divisor, int) and _is_world_size(left) else None


def _is_world_size(value: Value) -> bool:
    if not isinstance(value, Obj):
        return False
    if value.qual == "int" and value.sources:
        return _is_world_size(value.sources[0])
    is_call = value.qual == "torch.distributed.get_world_size" and value.made is not None and not value.made.args
    return is_call or (value.op == "env" and value.label == "WORLD_SIZE")


def _multiplied(size: Value) -> bool:
    """Tell whether a size is the world size times a literal above 1."""
    if not isinstance(size, Obj) or size.op != "expr" or size.label != "Mult":
        return False
    factor = next((number for source in size.sources if isinstance(number := constant(source), int)), 0)
    return factor > 1 and any(_is_world_size(source) for source in size.sources)


def _product(sizes: list[Value]) -> int | None:
    product = 1
    for size in sizes:
        if not isinstance(size, Const) or not isinstance(size.value, int) or size.value < 1:
            return None
        product *= size.value
    return product


def _others_above_one(sizes: list[Value]) -> bool:
    """Tell whether a size besides the world size is more than 1, or a parameter that is meant to be."""
    others = [size for size in sizes if not _is_world_size(size)]
    return any(
        (isinstance(size, Const) and isinstance(size.value, int) and size.value > 1)
        or (isinstance(size, Obj) and size.op in ("param", "attr") and not size.made)
        for size in others
    )


def _one_size_too_many(sizes: list[Value]) -> bool:
    """(world // tp, cp, tp): a size that the world size is not divided by, and that is certainly not 1."""
    for index, size in enumerate(sizes):
        divisors = _divided_by(size)
        others = [other for place, other in enumerate(sizes) if place != index]
        if not divisors or not any(other is divisor for other in others for divisor in divisors):
            continue
        left = [other for other in others if not any(other is divisor for divisor in divisors)]
        if any(_above_one(other) for other in left):
            return True
    return False


def _divided_by(size: Value) -> list[Value]:
    """Return a, b and c of world // a // (b * c); nothing for anything else."""
    if not isinstance(size, Obj) or size.op != "expr" or size.label != "FloorDiv":
        return []
    left, right = size.sources
    factors = list(right.sources) if isinstance(right, Obj) and right.label == "Mult" else [right]
    if _is_world_size(left):
        return factors
    inner = _divided_by(left)
    return inner + factors if inner else []


def _above_one(size: Value) -> bool:
    number = constant(size.attrs.get("[default]")) if isinstance(size, Obj) and size.op == "param" else constant(size)
    return isinstance(number, int) and number > 1
