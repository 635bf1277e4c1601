"""FSDP002: only the root of a model of many layers is sharded: one unit, no overlap.

Said where the layers are known: a transformers model, or a class with a list of modules. Silent in tests.
"""

from collections.abc import Iterator

from engines.review.flow.sharding import Shard, chain, within
from engines.review.flow.values import Const, Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP002",
    slug="shard-root-only",
    severity="warning",
    fix="Shard each block first, then the root (FSDP1: pass an auto_wrap_policy).",
)

_WRAP_CONTEXT = ("torch.distributed.fsdp.wrap.enable_wrap", "torch.distributed.fsdp.wrap.wrap")


_HEADS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "ForSequenceClassification", "ForMaskedLM")
"""Ends of the names of transformers' models."""


def check(flow: Flow) -> Iterator[Hit]:
    """Yield sharding calls on a root whose layers are nowhere sharded."""
    if any(True for _ in flow.trace.calls(*_WRAP_CONTEXT)):
        return
    for shard in flow.sharding.shards:
        if len(shard.targets) != 1 or _wraps_layers_itself(shard):
            continue
        (target,) = shard.targets
        if (
            shard.event.in_test()
            or target.op not in ("param", "new", "call")
            or _layers_are_sharded(flow, shard, target)
        ):
            continue
        if _has_many_layers(flow, target):
            name = target.label or "the model"
            yield flow.hit(
                shard.event, f"only the root of {name} is sharded: one all-gather of the whole model, no overlap"
            )


def _wraps_layers_itself(shard: Shard) -> bool:
    """An FSDP1 policy, or arguments that cannot be seen."""
    kwargs = shard.event.kwargs
    if "**" in kwargs or "*" in kwargs:
        return True
    if shard.kind == "fsdp2":
        return False
    if len(shard.event.args) > 1:
        return True
    policy = kwargs.get("auto_wrap_policy")
    return policy is not None and not (isinstance(policy, Const) and policy.value is None)


def _layers_are_sharded(flow: Flow, mine: Shard, root: Obj) -> bool:
    """Any other sharding of a part, or of something whose place is unknown, may be the layers."""
    for shard in flow.sharding.shards:
        if shard is mine:
            continue
        if not shard.targets:
            return True
        for target in shard.targets:
            if target is not root and (within(target, root) or target.op in ("elem", "descendant", "item", "expr")):
                return True
            if len(list(chain(target))) > 1:
                return True
    return False


def _has_many_layers(flow: Flow, target: Obj) -> bool:
    last = target.qual.rpartition(".")[2]
    if target.qual.startswith("transformers.") and (
        last in ("from_pretrained", "from_config") or last.endswith(_HEADS)
    ):
        return True
    cls = flow.shapes.class_of(target)
    if cls is None:
        return False
    return any(_holds_layers(part) for name, part in flow.shapes.parts(target) if name != "[*]")


def _holds_layers(part: Obj) -> bool:
    """A ModuleList, or a Sequential of any number of layers."""
    many = part.qual == "torch.nn.Sequential" and part.made is not None and "*" in part.made.kwargs
    return part.qual == "torch.nn.ModuleList" or many
