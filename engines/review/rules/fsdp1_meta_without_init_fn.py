"""FSDP104: FSDP1 gets a meta model of a library's classes and no param_init_fn."""

import ast
import re
from collections.abc import Iterator

from engines.review.flow.knowing import constant, options
from engines.review.flow.meta import asks_for_meta, filled_after, made_on_meta
from engines.review.flow.sharding import Shard
from engines.review.flow.values import Const, Function, Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP104",
    slug="fsdp1-meta-without-init-fn",
    severity="error",
    fix="param_init_fn=lambda m: m.to_empty(device=...), with sync_module_states=True and weights on rank 0.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield wraps of meta models that nothing fills."""
    for shard in flow.sharding.shards:
        kwargs = shard.event.kwargs
        if shard.kind != "fsdp1" or "**" in kwargs:
            continue
        if "param_init_fn" in kwargs:
            yield from _empty(flow, shard)
        elif not flow.mentions("to_empty") and any(_stays_empty(flow, target) for target in shard.targets):
            yield flow.hit(shard.event, "the model is on the meta device and its classes have no reset_parameters()")


def _stays_empty(flow: Flow, target: Obj) -> bool:
    """Tell whether a module is on the meta device, and its classes give it no values of their own."""
    on_meta = made_on_meta(target) is not None or asks_for_meta(target)
    return on_meta and (target.qual.startswith("transformers.") or _cannot_reset(flow, target))


def _empty(flow: Flow, shard: Shard) -> Iterator[Hit]:
    """Yield a wrap whose param_init_fn gives storage alone, where no rank's weights are sent or loaded."""
    event = shard.event
    given = [option for option in options(event.kwargs["param_init_fn"]) if not isinstance(option, Const)]
    only_empty = given and all(isinstance(option, Function) and _gives_storage_only(option.node) for option in given)
    sent = event.kwargs.get("sync_module_states")
    filled = any(filled_after(flow.trace, target, event) for target in shard.targets)
    if only_empty and (sent is None or constant(sent) is False) and not filled:
        yield flow.hit(event, "param_init_fn gives storage without values, and sync_module_states is not set")


def _gives_storage_only(node: ast.AST) -> bool:
    _, found, rest = ast.unparse(node).partition("to_empty")
    return bool(found) and re.search(r"reset|init|fill|normal_|load|copy_", rest) is None


def _cannot_reset(flow: Flow, target: Obj) -> bool:
    """Tell whether the class of a module, or of a part, has parameters of its own and no reset_parameters()."""
    parts = {id(part.cls): part.cls for _, part in flow.shapes.parts(target) if part.cls is not None}
    own = (target.cls,) if target.cls is not None else ()
    return any(
        cls.member("reset_parameters") is None
        and any(
            isinstance(value, Obj) and value.qual == "torch.nn.Parameter"
            for value in flow.shapes.template(cls).attrs.values()
        )
        for cls in (*own, *parts.values())
    )
