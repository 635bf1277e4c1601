"""FSDP065: mp_policy for the blocks alone or for the root alone; it is not inherited."""

import ast
from collections.abc import Iterator

from engines.review.flow.project import Module
from engines.review.flow.sharding import Shard, within
from engines.review.flow.trace import Event, first_step_apart
from engines.review.flow.values import Const
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP065",
    slug="mp-policy-not-uniform",
    severity="error",
    fix="Pass the same keyword arguments to every fully_shard call of the model.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the calls without a policy where their counterparts have one."""
    shards = [s for s in flow.sharding.shards if s.kind == "fsdp2" and "**" not in s.event.kwargs]
    if len(shards) != sum(1 for s in flow.sharding.shards if s.kind == "fsdp2"):
        return
    for root in shards:
        if len(root.targets) != 1 or root.targets[0].op not in ("param", "new", "call", "attr"):
            continue
        inner = [
            s for s in shards if s is not root and _are_layers_of(s, root) and flow.trace.before(s.event, root.event)
        ]
        if not inner:
            continue
        with_policy = [s for s in inner if _has_policy(s)]
        if _has_policy(root) and not with_policy:
            message = "the root has an mp_policy and its layers have none: dtypes clash at their border"
            yield at(*_chosen_at(inner[0].event, root.event), message).beside(root.event, "the root's wrap")
        elif not _has_policy(root) and len(with_policy) == len(inner):
            yield flow.hit(
                root.event, "the layers have an mp_policy and the root has none: its own parameters stay fp32"
            )


def _are_layers_of(part: Shard, root: Shard) -> bool:
    return any(
        target.op in ("elem", "descendant") and target is not root.targets[0] and within(target, root.targets[0])
        for target in part.targets
    )


def _chosen_at(layers: Event, root: Event) -> tuple[Module, ast.AST]:
    """Return where the keywords of the layers' wrap are chosen: at the call of the function that hands them on."""
    function = layers.function()
    given = function.node.args.kwarg if function is not None else None
    handed_on = isinstance(layers.node, ast.Call) and any(
        given is not None
        and keyword.arg is None
        and isinstance(keyword.value, ast.Name)
        and keyword.value.id == given.arg
        for keyword in layers.node.keywords
    )
    return first_step_apart(layers, root) if handed_on else (layers.module, layers.node)


def _has_policy(shard: Shard) -> bool:
    value = shard.event.kwargs.get("mp_policy")
    return value is not None and not (isinstance(value, Const) and value.value is None)
