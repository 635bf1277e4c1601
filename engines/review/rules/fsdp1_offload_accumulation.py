"""FSDP085: FSDP1 with CPU offload accumulates gradients only inside no_sync."""

from collections.abc import Iterator

from engines.review.flow.knowing import is_true, options
from engines.review.flow.training import backwards, in_same_loop, made_from, steps
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP085",
    slug="fsdp1-offload-accumulation",
    severity="error",
    fix="Accumulate inside model.no_sync(), or use FSDP2.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield offloading wraps whose training loop steps on every n-th micro-batch."""
    if flow.mentions("no_sync"):
        return
    for shard in flow.sharding.shards:
        if shard.kind != "fsdp1" or not _offloads(shard.event.kwargs.get("cpu_offload")):
            continue
        for step in steps(flow.trace):
            modulo = any(made_from(g.test, lambda o: o.op == "expr" and o.label == "Mod") for g in step.guards)
            if modulo and any(
                in_same_loop(step, b) and len(b.guards) < len(step.guards) for b in backwards(flow.trace)
            ):
                yield flow.hit(
                    shard.event,
                    f"gradients are offloaded after each micro-batch and overwritten (step at line {step.line})",
                )
                break


def _offloads(value: object) -> bool:
    for option in options(value) if isinstance(value, Obj) else ():
        made = option.made if isinstance(option, Obj) and option.qual.endswith(".CPUOffload") else None
        if made is not None and is_true(made.arg(0, "offload_params")):
            return True
    return False
