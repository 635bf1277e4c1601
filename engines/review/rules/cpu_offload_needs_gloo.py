"""FSDP071: CPU offload with a process group that has nccl alone."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant
from engines.review.flow.names import DCP, NN_CLIP
from engines.review.flow.optimizers import parameter_owners
from engines.review.flow.trace import Event
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP071",
    slug="cpu-offload-needs-gloo",
    severity="error",
    fix='init_process_group("cpu:gloo,cuda:nccl")',
    torch=">=2.4",
)

_NEEDS_CPU = (NN_CLIP, f"{DCP}.save", f"{DCP}.load", f"{DCP}.async_save")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield init_process_group("nccl") beside CPUOffloadPolicy and a reduction over CPU tensors."""
    offloads = list(flow.trace.calls("torch.distributed.fsdp.CPUOffloadPolicy"))
    if not offloads or not any(_of_sharded(flow, event) for event in flow.trace.calls(*_NEEDS_CPU)):
        return
    for event in flow.trace.calls("torch.distributed.init_process_group"):
        if constant(event.arg(0, "backend")) == "nccl":
            yield flow.hit(
                event,
                f"parameters are offloaded (line {offloads[0].line}) and nccl has no backend for CPU tensors",
                severity="warning" if all(offload.guards for offload in offloads) else None,
            )


def _of_sharded(flow: Flow, event: Event) -> bool:
    """Tell whether it reads sharded tensors; a clip of a plain model, kept as a reference, does not."""
    owners = parameter_owners(event.arg(0, "parameters")) if event.qual == NN_CLIP else ()
    return not owners or any(flow.sharding.kinds(owner, event) for owner in owners)
