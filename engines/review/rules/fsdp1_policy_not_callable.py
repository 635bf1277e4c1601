"""FSDP012: an auto_wrap_policy that is no policy: a set, class names, or a policy called at once."""

from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.names import FSDP1
from engines.review.flow.values import Const, Map, Obj, Seq, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP012",
    slug="fsdp1-policy-not-callable",
    severity="error",
    fix="ModuleWrapPolicy({Cls}), or functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Cls})",
)

_WRAP = "torch.distributed.fsdp.wrap"
_FUNCTIONS = tuple(
    f"{_WRAP}.{name}"
    for name in ("transformer_auto_wrap_policy", "size_based_auto_wrap_policy", "lambda_auto_wrap_policy")
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield policies that fail when the model is wrapped."""
    for event in flow.trace.calls(FSDP1):
        policy = event.arg(4, "auto_wrap_policy") if len(event.args) > 4 else event.kwargs.get("auto_wrap_policy")
        if any(isinstance(option, Seq | Map) for option in options(policy)):
            message = "auto_wrap_policy is a collection of classes, not a policy"
            yield flow.hit(event, message, argument="auto_wrap_policy")
    for event in flow.trace.calls(f"{_WRAP}.ModuleWrapPolicy"):
        classes = event.arg(0, "module_classes")
        if isinstance(classes, Seq) and any(
            isinstance(item, Const) and isinstance(item.value, str) for item in classes.items
        ):
            yield flow.hit(event, "ModuleWrapPolicy takes classes, not their names")
    for event in flow.trace.calls(*_FUNCTIONS):
        if "module" not in event.kwargs and not _is_module(event.args[:1]) and "**" not in event.kwargs:
            name = event.qual.rpartition(".")[2]
            yield flow.hit(event, f"{name} is called here; a policy has to be a callable that FSDP calls itself")


def _is_module(args: tuple[Value, ...]) -> bool:
    return bool(args) and isinstance(args[0], Obj)
