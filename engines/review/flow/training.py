"""Training: the events of a training loop, and how they lie to each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from engines.review.flow.knowing import objects, options
from engines.review.flow.optimizers import is_optimizer
from engines.review.flow.project import Module
from engines.review.flow.sharding import Sharding, for_want_of_fsdp
from engines.review.flow.trace import Event, Trace, qualname
from engines.review.flow.values import Obj, Value

NO_GRAD = ("torch.no_grad", "torch.inference_mode")
_OPTIMIZER = re.compile(r"(^|[._])(opt|optim|optimizer|optimiser|adam\w*|sgd)s?\d*(\[.*\])?$", re.IGNORECASE)
_SCALER = re.compile(r"scaler$", re.IGNORECASE)
MAX_ORIGINS = 120
"""Values that are looked at when asking what a value was made from."""


def label_of(value: Value | None) -> str:
    """Return how a value is called in the code, "" where it has no name."""
    return next((o.label for o in options(value) if isinstance(o, Obj) and o.label), "")


def names_optimizer(value: Value | None) -> bool:
    """Tell whether a value is an optimizer, by its making or by its name."""
    return is_optimizer(value) or bool(_OPTIMIZER.search(label_of(value)))


def names_scaler(value: Value | None) -> bool:
    """Tell whether a value is a gradient scaler."""
    made = any(isinstance(o, Obj) and o.qual.endswith("GradScaler") for o in options(value))
    return made or bool(_SCALER.search(label_of(value)))


def steps(trace: Trace) -> Iterator[Event]:
    """Yield the optimizer's steps, those through a scaler included."""
    for event in trace.methods("step"):
        if names_optimizer(event.receiver) or (names_scaler(event.receiver) and event.args):
            yield event


def backwards(trace: Trace) -> Iterator[Event]:
    """Yield backward passes: `loss.backward()`, `accelerator.backward(loss)`."""
    yield from trace.methods("backward")


def forwards(sharding: Sharding) -> Iterator[Event]:
    """Yield forward passes of sharded modules."""
    for event in sharding.trace.objects_called:
        if sharding.unit_kinds(event.callee, event):
            yield event


def loop_of(event: Event) -> ast.AST | None:
    """Return the innermost `for` or `while` around an event."""
    found = [loop for loop in event.loops if isinstance(loop, ast.For | ast.AsyncFor | ast.While)]
    return found[-1] if found else None


def module_of_loop(event: Event, loop: ast.AST) -> Module:
    """Return the file that a loop around an event is written in: the event's own or that of a caller."""
    places = [(event.module, event.node), *((site.module, site.node) for site in reversed(event.stack))]
    for module, node in places:
        if any(part is node for part in ast.walk(loop)):
            return module
    return event.module


def in_same_loop(first: Event, second: Event) -> bool:
    """Tell whether an event lies in the innermost loop of another, in the same run."""
    loop = loop_of(first)
    return loop is not None and first.run == second.run and loop in second.loops


def within_lines(node: ast.AST, block: ast.AST | None) -> bool:
    """Tell whether a node is written inside a block of the same file, not on its first line."""
    line = getattr(node, "lineno", 0)
    return getattr(block, "lineno", line) < line <= (getattr(block, "end_lineno", 0) or 0)


def without_grad(event: Event) -> bool:
    """Tell whether gradients are off around an event."""
    return event.under(*NO_GRAD) or any(
        qualname(option).rpartition(".")[2] in ("no_grad", "inference_mode", "set_grad_enabled")
        for value in event.withs
        for option in options(value)
    )


def made_from(value: Value | None, wanted: Callable[[Obj], bool]) -> Obj | None:
    """Return the nearest object of a kind from which a value was made, on this rank alone.

    Values that a collective made equal on all ranks are not looked behind.
    """
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    while queue and len(seen) < MAX_ORIGINS:
        current = queue.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        if isinstance(current, Obj):
            if current.uniform:
                continue
            if wanted(current):
                return current
            if current.parent is not None:
                queue.append(current.parent)
        queue.extend(current.sources)
    return None


_COMPUTING = (
    "torch.",
    "math.",
    "time.",
    "datetime.",
    "numpy.",
    "statistics.",
    "float",
    "int",
    "bool",
    "sum",
    "len",
    "abs",
    "min",
    "max",
    "any",
    "all",
)


def computed_from(value: Value | None, wanted: Callable[[Obj], bool]) -> Obj | None:
    """Return the object of a kind from which a value was computed on this rank.

    Only arithmetic, tensor methods and well-known functions are looked through: an unknown
    callee may have made its result equal on all ranks.
    """
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    while queue and len(seen) < MAX_ORIGINS:
        current = queue.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        if not isinstance(current, Obj):
            queue.extend(current.sources)
            continue
        if current.uniform:
            continue
        if wanted(current):
            return current
        made = current.made
        if current.op == "attr" and current.parent is not None:
            queue.append(current.parent)
        elif made is None or current.op in ("item", "elem"):
            queue.extend(current.sources)
        elif made.method:
            queue.extend([made.receiver] if made.receiver is not None else [])
        elif made.qual.startswith(_COMPUTING) and not made.qual.startswith("torch.distributed"):
            queue.extend(current.sources)
    return None


_PATH_CALLS = (
    "os.path.join",
    "pathlib.Path",
    "str",
    "int",
    "round",
    "format",
    "datetime.datetime.now",
    "os.path.abspath",
)
_PATH_METHODS = ("format", "strftime", "isoformat", "timestamp", "joinpath", "join", "hex", "replace", "strip", "item")


def path_from(value: Value | None, wanted: Callable[[Obj], bool]) -> Obj | None:
    """Return the object of a kind that a path is spelled from: formatted, joined or added."""
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    while queue and len(seen) < MAX_ORIGINS:
        current = queue.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        if not isinstance(current, Obj):
            queue.extend(current.sources)
            continue
        if current.uniform:
            continue
        if wanted(current):
            return current
        made = current.made
        spelled = made is None or made.qual in _PATH_CALLS or made.method in _PATH_METHODS
        if spelled:
            queue.extend(current.sources)
        if current.parent is not None and current.op == "attr" and current.label.endswith((".hex", ".name")):
            queue.append(current.parent)
    return None


def same_object(first: Value | None, second: Value | None) -> bool:
    """Tell whether two values may be one object."""
    mine = {id(obj) for obj in objects(first)}
    return any(id(obj) in mine for obj in objects(second))


def type_tested(event: Event) -> bool:
    """Tell whether code chose its way by type or ability (isinstance, hasattr), or for want of FSDP."""
    if for_want_of_fsdp(event):
        return True
    for guard in event.guards:
        for option in options(guard.test):
            if made_from(option, lambda obj: obj.qual in ("isinstance", "hasattr", "type", "issubclass")) is not None:
                return True
    return False
