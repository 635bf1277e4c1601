"""FSDP054: every rank reads the full checkpoint, onto the device that it was saved from."""

import ast
from collections.abc import Iterator

from engines.review.flow.knowing import constant, objects, origins
from engines.review.flow.names import STATE
from engines.review.flow.training import path_from
from engines.review.flow.values import UNKNOWN, Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP054",
    slug="every-rank-loads-full-checkpoint",
    severity="warning",
    fix='torch.load(path, mmap=True, map_location="cpu"), or load on rank 0 and broadcast.',
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield torch.load calls that name neither mmap nor a device, before a wrap of what they fill."""
    for event in flow.trace.calls("torch.load"):
        if any(name in event.kwargs for name in ("mmap", "**")) or not _to_gpu(flow, event.arg(1, "map_location")):
            continue
        if flow.single_process(event):
            continue
        by_rank = event.args and path_from(event.args[0], lambda obj: obj.rank in ("global", "local")) is not None
        if by_rank or any(guard.divergent for guard in event.guards) or not _fills_sharded(flow, event.result):
            continue
        yield flow.hit(event, "each rank loads the whole checkpoint to the device that it was saved from")


def _holds(given: Value | None, state: object) -> bool:
    """Tell whether a state dict is, or is an entry of, what was loaded."""
    return any(source is state for source in origins(given, 12))


def _fills_sharded(flow: Flow, state: object) -> bool:
    for event in flow.trace.methods("load_state_dict"):
        given = event.arg(0, "state_dict")
        if _holds(given, state) and any(flow.sharding.touches(shard, event.receiver) for shard in flow.sharding.shards):
            return True
    for event in flow.trace.calls(f"{STATE}.set_model_state_dict"):
        settings = [o.made for o in objects(event.arg(2, "options")) if o.made is not None]
        broadcasts = not settings or any("broadcast_from_rank0" in made.kwargs for made in settings)
        if _holds(event.arg(1, "model_state_dict"), state) and not broadcasts:
            return True
    return False


def _to_gpu(flow: Flow, device: Value | None) -> bool:
    """Nothing said, or a GPU: the whole checkpoint takes its room beside the shards."""
    if device is None:
        return True
    if isinstance(device, Obj) and device is not UNKNOWN:
        if any(shard.event.kwargs.get("device_id") is device for shard in flow.sharding.shards):
            return True
        first = device.made.arg(0, "device") if device.made is not None and device.qual == "torch.device" else None
        template = ast.unparse(device.node) if isinstance(device.node, ast.JoinedStr | ast.BinOp) else ""
        return _to_gpu(flow, first) if first is not None else "cuda:" in template
    return str(constant(device)).startswith("cuda")
