"""Contents: which classes a module contains and how many parameters it has, where all of it is known."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engines.review.flow.attributes import CONTAINERS, is_module_class
from engines.review.flow.knowing import constant
from engines.review.flow.shapes import Shapes
from engines.review.flow.sharding import base
from engines.review.flow.values import Class, Obj, Seq, Value

_INSIDE = {
    "TransformerEncoderLayer": ("MultiheadAttention", "Linear", "LayerNorm", "Dropout"),
    "TransformerDecoderLayer": ("MultiheadAttention", "Linear", "LayerNorm", "Dropout"),
    "MultiheadAttention": ("NonDynamicallyQuantizableLinear", "Linear"),
    "TransformerEncoder": ("ModuleList", "TransformerEncoderLayer", "MultiheadAttention", "Linear", "LayerNorm"),
    "TransformerDecoder": ("ModuleList", "TransformerDecoderLayer", "MultiheadAttention", "Linear", "LayerNorm"),
    "Transformer": (
        *("TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer", "TransformerDecoderLayer"),
        *("ModuleList", "MultiheadAttention", "Linear", "LayerNorm", "Dropout"),
    ),
}
"""Modules that torch's own modules contain."""
_WITHOUT_PARAMETERS = (
    "Dropout",
    "ReLU",
    "GELU",
    "SiLU",
    "Tanh",
    "Sigmoid",
    "Softmax",
    "Identity",
    "Flatten",
    "MaxPool2d",
)
MAX_DEPTH = 6
"""Levels of modules inside each other that are looked at."""


def class_names(shapes: Shapes, module: Obj) -> set[str] | None:
    """Return the names of the classes of a module and all its parts, None where a part is not known.

    Args:
        shapes: The classes of the files.
        module: The module.
    """
    found: set[str] = set()
    return found if _collect(shapes, module, found, MAX_DEPTH) else None


def _collect(shapes: Shapes, module: Obj, found: set[str], depth: int) -> bool:
    module = base(module)
    last = module.qual.rpartition(".")[2]
    if module.qual.startswith("torch.nn.") and module.qual != "torch.nn.Parameter":
        found.update((last, *_INSIDE.get(last, ())))
        return module.qual not in CONTAINERS or all(_collect(shapes, part, found, depth - 1) for part in _items(module))
    if module.qual == "torch.nn.Parameter":
        return True
    cls = module.cls
    if cls is None or depth == 0 or not is_module_class(cls):
        return False
    found.update(link.node.name for link in cls.linear() if isinstance(link, Class))
    return all(_collect(shapes, part, found, depth - 1) for part in _parts(shapes, module, cls))


def _parts(shapes: Shapes, module: Obj, cls: Class) -> Iterator[Obj]:
    """Yield the attributes of a module that are, or may be, modules or parameters."""
    attrs = module.attrs if module.op == "new" and not module.symbolic else shapes.template(cls).attrs
    for name, value in attrs.items():
        if name.startswith("[") or not isinstance(value, Obj):
            continue
        if value.cls is not None or value.made is not None or value.op in ("param", "new"):
            yield value


def _items(container: Obj) -> Iterator[Obj]:
    stack: list[Value] = list(container.made.args) if container.made is not None else []
    while stack:
        value = stack.pop()
        if isinstance(value, Seq):
            stack.extend(value.items)
        elif isinstance(value, Obj):
            yield value


def parameter_count(shapes: Shapes, module: Obj, depth: int = MAX_DEPTH) -> int | None:
    """Return the number of a module's parameters, None where a part or a size is not written down."""
    module = base(module)
    if module.qual.startswith("torch.nn."):
        return _of_layer(shapes, module, depth)
    if module.cls is None or depth == 0 or not is_module_class(module.cls):
        return None
    counts = [parameter_count(shapes, part, depth - 1) for part in _parts(shapes, module, module.cls)]
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


def _of_layer(shapes: Shapes, layer: Obj, depth: int) -> int | None:
    """Linear m*n+n, Embedding m*n, LayerNorm 2n, Conv2d m*n*k*k+n; a container the sum of its items."""
    assert layer.made is not None
    last = layer.qual.rpartition(".")[2]
    if last in _WITHOUT_PARAMETERS:
        return 0
    if layer.qual in CONTAINERS:
        if "*" in layer.made.kwargs or any(isinstance(arg, Seq) and arg.more for arg in layer.made.args):
            return None
        counts = [parameter_count(shapes, part, depth - 1) for part in _items(layer)]
        return None if None in counts else sum(count for count in counts if count is not None)
    sizes = [constant(arg) for arg in layer.made.args if not isinstance(arg, Seq)]
    numbers = [size for size in sizes if isinstance(size, int) and not isinstance(size, bool)]
    if len(numbers) != len(sizes) or not numbers:
        return None
    if last == "Linear" and len(numbers) == 2:
        return numbers[0] * numbers[1] + numbers[1]
    if last == "Embedding" and len(numbers) == 2:
        return math.prod(numbers)
    if last in ("LayerNorm", "RMSNorm") and len(numbers) == 1:
        return 2 * numbers[0]
    if last == "Conv2d" and len(numbers) >= 3:
        return numbers[0] * numbers[1] * numbers[2] ** 2 + numbers[1]
    return None
