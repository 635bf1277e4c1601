"""FSDP031: arguments of FSDP1 that exclude each other."""

from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.names import FSDP1
from engines.review.flow.values import Const, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(id="FSDP031", slug="fsdp1-exclusive-args", severity="error", fix="Keep one of the two.", torch=">=2.2")

_PAIRS = (("process_group", "device_mesh"), ("ignored_modules", "ignored_states"))


def check(flow: Flow) -> Iterator[Hit]:
    """Yield wraps that are given both of a pair."""
    for event in flow.trace.calls(FSDP1):
        certain = "**" not in event.kwargs
        given = {
            name
            for name, value in event.kwargs.items()
            if (certain or event.keyword(name) is not None) and not _may_be_none(value)
        }
        for first, second in _PAIRS:
            if first in given and second in given:
                yield flow.hit(event, f"{first} and {second} exclude each other", argument=second)


def _may_be_none(value: Value) -> bool:
    return any(isinstance(option, Const) and option.value is None for option in options(value))
