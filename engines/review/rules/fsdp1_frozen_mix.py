"""FSDP015: frozen and trainable parameters in one FSDP1 unit with flat parameters."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, objects, options
from engines.review.flow.optimizers import parameter_owners
from engines.review.flow.sharding import Shard, base, within, wrappers
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP015",
    slug="fsdp1-frozen-mix",
    severity="error",
    fix="use_orig_params=True, or wrap the frozen parts separately (lambda policy).",
    torch=">=2.1",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield wraps with flat parameters of models that are frozen in part."""
    for shard in flow.sharding.shards:
        kwargs = shard.event.kwargs
        if shard.kind != "fsdp1" or "**" in kwargs or not shard.targets:
            continue
        if "use_orig_params" in kwargs and constant(kwargs["use_orig_params"]) is not False:
            continue
        if _policy_may_part(shard):
            continue
        frozen = _partly_frozen(flow, shard)
        if frozen is not None and frozen.guards and flow.mentions("lambda_auto_wrap_policy", "_or_policy"):
            continue  # the same condition may choose a policy that keeps them apart
        if frozen is not None:
            yield flow.hit(
                shard.event, f"parameters frozen at line {frozen.line} share flat parameters with trainable ones"
            )


def _policy_may_part(shard: Shard) -> bool:
    """A lambda, size or unknown policy may keep frozen and trainable parameters apart, or run."""
    policy = shard.event.kwargs.get("auto_wrap_policy")
    if policy is None:
        return False
    for option in options(policy):
        made = option.made if isinstance(option, Obj) else None
        names = [made.qual, *(getattr(arg, "name", "") for arg in made.args[:1])] if made is not None else []
        if not any(str(name).endswith(("transformer_auto_wrap_policy", "ModuleWrapPolicy")) for name in names):
            return True
    return False


def _partly_frozen(flow: Flow, shard: Shard) -> Event | None:
    (target, *_) = shard.targets
    for obj in objects(shard.event.arg(0, "module")):
        for layer in wrappers(obj):
            if layer.qual == "peft.get_peft_model" and layer.made is not None:
                return layer.made
    for event in flow.trace.methods("requires_grad_"):
        if constant(event.arg(0, "requires_grad")) is False and flow.trace.before(event, shard.event):
            parts = [base(obj) for obj in (*objects(event.receiver), *parameter_owners(event.receiver))]
            if any(part is not target and within(part, target) and part.op in ("attr", "elem") for part in parts):
                return event
    parts = [base(part) for _, part in flow.shapes.parts(target)]
    for event in flow.trace.kind("setattr"):
        depends = any(isinstance(o, Obj) and o.op in ("compare", "bool", "not") for o in options(event.args[0]))
        if event.name != "requires_grad" or (constant(event.args[0]) is not False and not depends):
            continue
        owners = [base(owner) for owner in parameter_owners(event.receiver)]
        chosen = any(guard.kind in ("if", "skip") and guard not in shard.event.guards for guard in event.guards)
        some = depends or chosen or not any(owner is target for owner in owners)
        inside = any(within(owner, target) or owner in parts for owner in owners)
        if some and inside and flow.trace.before(event, shard.event):
            return event
    return None
