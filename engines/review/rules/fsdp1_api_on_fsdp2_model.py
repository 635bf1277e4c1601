"""FSDP020: FSDP1's API on a model that fully_shard has sharded.

The first use in a file is an error, the others follow from it. Silent where the code tests
the type, or knows both ways.
"""

import re
from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.names import FSDP1
from engines.review.flow.trace import Event
from engines.review.flow.training import type_tested
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP020",
    slug="fsdp1-api-on-fsdp2-model",
    severity="error",
    fix="Use get_model_state_dict / set_requires_gradient_sync / torch.nn.utils.clip_grad_norm_ / FSDPModule.",
)

_STATIC = (
    *("state_dict_type", "set_state_dict_type", "summon_full_params", "optim_state_dict", "full_optim_state_dict"),
    *("optim_state_dict_to_load", "sharded_optim_state_dict", "shard_full_optim_state_dict"),
)
_KNOWS_BOTH = re.compile(r"fsdp_?(version|2)|_v2\b", re.IGNORECASE)
"""Code of files that choose between the two APIs."""
_METHODS = ("clip_grad_norm_", "summon_full_params")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield uses of FSDP1's functions and methods on FSDP2 models."""
    first = True
    for event, name in sorted([*_uses(flow)], key=lambda use: use[0].seq):
        if _KNOWS_BOTH.search(event.module.code):
            continue
        label = getattr(event.receiver or event.arg(0, "model"), "label", "") or "the model"
        yield flow.hit(
            event,
            f"{name} is FSDP1's; {label} is sharded by fully_shard, which it does not know",
            severity=None if first else "warning",
        )
        first = False
    if not first:
        yield from _type_tests(flow)


def _type_tests(flow: Flow) -> Iterator[Hit]:
    for event in flow.trace.calls("isinstance"):
        second = event.args[1] if len(event.args) > 1 else None
        if getattr(second, "name", "") == FSDP1 and flow.sharding.kinds(event.args[0], event) == {"fsdp2"}:
            yield flow.hit(
                event, "isinstance(..., FSDP) is False for a model that fully_shard sharded", severity="warning"
            )


def _uses(flow: Flow) -> Iterator[tuple[Event, str]]:
    for name in _STATIC:
        for event in flow.trace.calls(f"{FSDP1}.{name}"):
            if flow.sharding.kinds(event.arg(0, "model"), event) == {"fsdp2"} and not type_tested(event):
                yield event, f"FSDP.{name}"
    for event in flow.trace.methods("state_dict", "parameters", "named_parameters", "save_pretrained", "eval", "train"):
        for obj in objects(event.receiver):
            inner = obj.op == "attr" and obj.label.endswith(".module") and obj.parent is not None
            if inner and flow.sharding.kinds(obj.parent, event) == {"fsdp2"} and not type_tested(event):
                yield event, ".module"
    for event in flow.trace.kind("read"):
        whole = all(obj.op in ("param", "new", "call") for obj in objects(event.receiver))
        if whole and flow.sharding.kinds(event.receiver, event) == {"fsdp2"} and not type_tested(event):
            yield event, ".module"
    for event in flow.trace.methods(*_METHODS):
        if flow.sharding.kinds(event.receiver, event) == {"fsdp2"} and not type_tested(event):
            yield event, f".{event.method}()"
