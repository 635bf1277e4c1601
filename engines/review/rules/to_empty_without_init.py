"""FSDP101: to_empty leaves memory as it was, and nothing initialises or loads the parameters."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.meta import filled_after
from engines.review.flow.optimizers import optimizers
from engines.review.flow.sharding import base
from engines.review.flow.trace import Event
from engines.review.flow.training import forwards
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP101",
    slug="to-empty-without-init",
    severity="error",
    fix="Call reset_parameters()/init_weights() on every module, or load a full checkpoint.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield to_empty calls after which the model is used without having been filled."""
    for event in flow.trace.methods("to_empty"):
        for obj in objects(event.receiver):
            model = base(obj)
            run = _run(flow, model, event)
            if not flow.sharding.kinds(model, event) or not (run or _trained(flow, model, event)):
                continue
            until = run if run is not None and run.run == event.run else None
            if not filled_after(flow.trace, model, event, until, flow.modules):
                yield flow.hit(
                    event, f"{model.label or 'the model'} trains on whatever the memory held: nothing fills it"
                )
                break


def _trained(flow: Flow, model: Obj, event: Event) -> bool:
    """Tell whether an optimizer is made over the model afterwards."""
    return any(
        any(base(owner) is model for owner in owners) and flow.trace.before(event, optimizer)
        for optimizer, owners in optimizers(flow.trace)
    )


def _run(flow: Flow, model: Obj, event: Event) -> Event | None:
    """Return a forward pass of the model afterwards, None where none is seen."""
    runs = [run for run in forwards(flow.sharding) if any(base(obj) is model for obj in objects(run.callee))]
    return next((run for run in runs if flow.trace.before(event, run)), None)
