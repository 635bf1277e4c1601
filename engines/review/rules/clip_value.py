"""HF219: accelerator.clip_grad_value_ under FSDP, which raises."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.training import type_tested
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(id="HF219", slug="clip-value", severity="error", fix="accelerator.clip_grad_norm_")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the call in files that set FSDP up through accelerate."""
    if not flow.mentions("FullyShardedDataParallelPlugin", "fsdp_plugin"):
        return
    for event in flow.trace.methods("clip_grad_value_"):
        by_accelerator = any(obj.qual == "accelerate.Accelerator" for obj in objects(event.receiver))
        if by_accelerator and not type_tested(event):
            yield flow.hit(event, "accelerate does not clip by value under FSDP: it raises")
