"""FSDP094: a training loop that never clears the gradients."""

from collections.abc import Iterator

from engines.review.flow.training import backwards, forwards, in_same_loop, made_from, steps
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP094",
    slug="zero-grad-missing",
    severity="error",
    fix="optimizer.zero_grad() after the step.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield steps in a loop with backward passes, in code that clears gradients nowhere."""
    if not flow.shards_anything() or _made_up(flow):
        return
    if flow.mentions("zero_grad", ".grad = None", ".grad=None", "set_to_none", "optimizer_step"):
        return
    for step in steps(flow.trace):
        if any(in_same_loop(step, b) and flow.trace.before(b, step) for b in backwards(flow.trace)):
            yield flow.hit(step, "gradients of all steps so far add up: nothing clears them")
            return


def _made_up(flow: Flow) -> bool:
    """Tell whether the inputs are random tensors: a demonstration, not training."""
    return any(
        made_from(value, lambda obj: obj.qual.startswith("torch.rand")) is not None
        for event in forwards(flow.sharding)
        for value in event.args
    )
