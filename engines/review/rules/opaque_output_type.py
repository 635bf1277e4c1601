"""FSDP091: a unit's forward returns an object of a plain class; the hooks do not look into it."""

import ast
from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.values import Class, Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP091",
    slug="opaque-output-type",
    severity="error",
    fix="Return a dict, a tuple or a dataclass.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield returns of plain objects from the forward of a sharded class."""
    sharded = [flow.shapes.class_of(target) for shard in flow.sharding.shards for target in shard.targets]
    classes = {id(cls) for cls in sharded if cls is not None}
    for event in flow.trace.kind("jump"):
        function = event.function()
        if (
            event.name != "return"
            or function is None
            or function.name != "forward"
            or id(function.owner) not in classes
        ):
            continue
        for value in event.args:
            for option in options(value):
                if isinstance(option, Obj) and option.op == "new" and option.cls is not None and _is_plain(option.cls):
                    yield flow.hit(
                        event, f"{option.cls.node.name} is no tensor, dict, list, tuple or dataclass: backward fails"
                    )


def _is_plain(cls: Class) -> bool:
    """Tell whether a class has no base and no decorator that would make it a known container."""
    bases = [base for base in cls.node.bases if not (isinstance(base, ast.Name) and base.id == "object")]
    return not bases and not cls.node.decorator_list and not cls.node.keywords
