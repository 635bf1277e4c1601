"""FSDP021: CUDA is used before a device was chosen, so all ranks of a node use the first GPU."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant
from engines.review.flow.names import INIT_MESH
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP021",
    slug="device-not-selected",
    severity="warning",
    fix='torch.cuda.set_device(int(os.environ["LOCAL_RANK"])) first.',
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the first `.cuda()` or `.to("cuda")` after init_process_group in code that never chooses."""
    if flow.mentions("set_device", "device_id", "accelerat", "lightning", "CUDA_VISIBLE_DEVICES", "LOCAL_RANK"):
        return
    started = list(flow.trace.calls("torch.distributed.init_process_group"))
    meshes = list(flow.trace.calls(INIT_MESH))
    if not started or not flow.sharding.shards:
        return
    for event in sorted((*flow.trace.methods("cuda"), *flow.trace.methods("to")), key=lambda event: event.seq):
        if flow.single_process(event):
            continue
        on_gpu = (event.method == "cuda" and not event.args) or any(_plain_cuda(arg) for arg in event.args[:1])
        if (
            on_gpu
            and any(flow.trace.before(s, event) for s in started)
            and not any(flow.trace.before(m, event) for m in meshes)
        ):
            yield flow.hit(event, "no rank has chosen its device: all of them use cuda:0")
            return


def _plain_cuda(value: Value) -> bool:
    """Tell whether a value is "cuda", or a device made of it."""
    made = value.made if isinstance(value, Obj) and value.qual == "torch.device" else None
    return constant(made.args[0] if made is not None and len(made.args) == 1 else value) == "cuda"
