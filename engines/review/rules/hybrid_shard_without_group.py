"""FSDP030: HYBRID_SHARD without anything that says how to form the groups."""

import ast
from collections.abc import Iterator

from engines.review.flow.names import FSDP1
from engines.review.flow.values import Const, Ext, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP030",
    slug="hybrid-shard-without-group",
    severity="error",
    fix="Pass device_mesh (replicate, shard) or process_group, or an auto_wrap_policy.",
    torch=">=2.1",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield hybrid wraps with neither policy nor groups."""
    for event in flow.trace.calls(FSDP1):
        strategy = event.arg(2, "sharding_strategy")
        if not isinstance(strategy, Ext) or "HYBRID_SHARD" not in strategy.name or "**" in event.kwargs:
            continue
        if not _left_out(event.keyword("device_mesh")):
            continue  # it may be None in one call, and the function asks for it in another
        given = (event.arg(1, "process_group"), event.kwargs.get("device_mesh"), event.arg(4, "auto_wrap_policy"))
        if not any(_is_given(value) for value in given):
            yield flow.hit(
                event,
                "HYBRID_SHARD needs a process_group, a device_mesh or an auto_wrap_policy",
                argument="sharding_strategy",
            )


def _left_out(written: ast.AST | None) -> bool:
    """Tell whether a keyword is absent or a literal None."""
    return written is None or (isinstance(written, ast.Constant) and written.value is None)


def _is_given(value: Value | None) -> bool:
    return value is not None and not (isinstance(value, Const) and value.value is None)
