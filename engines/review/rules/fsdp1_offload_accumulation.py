"""FSDP085: FSDP1 with CPU offload accumulates gradients only inside no_sync."""

from collections.abc import Iterator

from engines.review.flow.accumulation import accumulations
from engines.review.flow.knowing import is_true, options
from engines.review.flow.trace import compatible
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP085",
    slug="fsdp1-offload-accumulation",
    severity="error",
    fix="Accumulate inside model.no_sync(), or use FSDP2.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield offloading wraps where several micro-batches go into one step."""
    if flow.mentions("no_sync"):
        return
    for shard in flow.sharding.shards:
        if shard.kind != "fsdp1" or not _offloads(shard.event.kwargs.get("cpu_offload")):
            continue
        for step, back in accumulations(flow.trace):
            if compatible(shard.event, back):
                message = f"gradients are offloaded after each micro-batch and overwritten (step at line {step.line})"
                hit = flow.hit(shard.event, message, argument="cpu_offload")
                yield hit.beside(back, "this backward pass overwrites what the one before it has offloaded")
                break


def _offloads(value: Value | None) -> bool:
    for option in options(value):
        made = option.made if isinstance(option, Obj) and option.qual.endswith(".CPUOffload") else None
        if made is not None and is_true(made.arg(0, "offload_params")):
            return True
    return False
