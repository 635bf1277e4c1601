"""FSDP104: FSDP1 gets a meta model of a library's classes and no param_init_fn."""

from collections.abc import Iterator

from engines.review.flow.meta import made_on_meta
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP104",
    slug="fsdp1-meta-without-init-fn",
    severity="error",
    fix="param_init_fn=lambda m: m.to_empty(device=...), with sync_module_states=True and weights on rank 0.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield wraps of meta models without a function that materialises them."""
    if flow.mentions("to_empty"):
        return
    for shard in flow.sharding.shards:
        kwargs = shard.event.kwargs
        if shard.kind != "fsdp1" or "**" in kwargs or "param_init_fn" in kwargs:
            continue
        if any(
            made_on_meta(target) and (target.qual.startswith("transformers.") or _cannot_reset(flow, target))
            for target in shard.targets
        ):
            yield flow.hit(shard.event, "the model is on the meta device and its classes have no reset_parameters()")


def _cannot_reset(flow: Flow, target: Obj) -> bool:
    """Tell whether the module's class holds parameters of its own and has no reset_parameters()."""
    if target.cls is None or target.cls.member("reset_parameters") is not None:
        return False
    own = flow.shapes.template(target.cls).attrs.values()
    return any(isinstance(value, Obj) and value.qual == "torch.nn.Parameter" for value in own)
