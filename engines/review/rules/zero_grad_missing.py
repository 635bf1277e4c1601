"""FSDP094: a training loop that never clears the gradients."""

from collections.abc import Iterator

from engines.review.flow.trace import Event
from engines.review.flow.training import backwards, forwards, made_from, steps
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
    if flow.mentions(".grad = None", ".grad=None", "optimizer_step") or not _never_cleared(flow):
        return
    for step in steps(flow.trace):
        if any(_in_a_loop_of(step, b) and flow.trace.before(b, step) for b in backwards(flow.trace)):
            yield flow.hit(step, "gradients of all steps so far add up: nothing clears them")
            return


def _in_a_loop_of(step: Event, back: Event) -> bool:
    """Tell whether one loop has both, perhaps with a loop over several optimizers inside."""
    return step.run == back.run and any(loop in back.loops for loop in step.loops)


def _never_cleared(flow: Flow) -> bool:
    """Tell whether `zero_grad` is nowhere but in methods of that name, which nobody calls."""
    mentions = sum(module.says("zero_grad") for module in flow.modules)
    if not mentions:
        return not flow.mentions("set_to_none")
    if any(event.name == "zero_grad" for event in flow.trace.kind("enter")):
        return False
    inside = [event for event in flow.trace.methods("zero_grad") if _in_method_of_that_name(event)]
    methods = {function.key for event in inside if (function := event.function()) is not None}
    return mentions == len({id(event.node) for event in inside}) + len(methods)


def _in_method_of_that_name(event: Event) -> bool:
    function = event.function()
    return function is not None and function.name == "zero_grad" and len(event.stack) == 1


def _made_up(flow: Flow) -> bool:
    """Tell whether the inputs are random tensors: a demonstration, not training."""
    return any(
        made_from(value, lambda obj: obj.qual.startswith("torch.rand")) is not None
        for event in forwards(flow.sharding)
        for value in event.args
    )
