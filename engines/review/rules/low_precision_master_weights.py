"""FSDP061: the weights themselves are bf16/fp16 and AdamW updates them: small updates vanish."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects
from engines.review.flow.optimizers import optimizers
from engines.review.flow.precision import LOW, cast, dtype_name
from engines.review.flow.sharding import base, wrappers
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP061",
    slug="low-precision-master-weights",
    severity="warning",
    fix="Keep fp32 parameters and give a mixed-precision policy to the wrap.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield casts (or low-precision loads) of a whole model that is sharded and trained by AdamW."""
    for event, owners in optimizers(flow.trace):
        for owner in owners if event.qual in ("torch.optim.AdamW", "torch.optim.Adam") else ():
            if any(layer.qual.startswith("peft.") for layer in wrappers(owner)):
                continue  # what is in low precision there is frozen
            whole = base(owner)
            found = _low(flow, whole, event)
            if found is not None and not event.in_test() and flow.sharding.kinds(owner, event):
                yield flow.hit(found, f"{whole.label or 'the model'} is trained in low precision: small updates vanish")
                return


def _low(flow: Flow, whole: Obj, optimizer: Event) -> Event | None:
    """Return the last event that decides the dtype of all weights, if it is a low one."""
    decided: list[tuple[Event, str]] = []
    if whole.made is not None and whole.made.qual.endswith("from_pretrained"):
        dtype = whole.made.kwargs.get("torch_dtype") or whole.made.kwargs.get("dtype")
        decided.append((whole.made, dtype_name(dtype)))
    for event in flow.trace.methods("to", "half", "bfloat16", "float"):
        if any(base(obj) is whole for obj in objects(event.receiver)) and cast(event):
            decided.append((event, cast(event)))
    before = [pair for pair in decided if flow.trace.before(pair[0], optimizer)]
    return before[-1][0] if before and before[-1][1] in LOW else None
