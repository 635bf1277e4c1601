"""FSDP048: a checkpoint's folder that each rank computes for itself: time, uuid, rank, host.

Silent once the value was broadcast.
"""

from collections.abc import Iterator

from engines.review.flow.names import DCP
from engines.review.flow.trace import Event
from engines.review.flow.training import path_from
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP048",
    slug="rank-dependent-checkpoint-path",
    severity="error",
    fix="Compute the path on rank 0 and broadcast it (broadcast_object_list).",
)

_SAVES = tuple(f"{DCP}.{name}" for name in ("save", "async_save", "save_state_dict"))
_WRITERS = tuple(f"{DCP}.{name}" for name in ("FileSystemWriter", "FsspecWriter"))
_DIFFER = (
    *(
        "time.time",
        "time.time_ns",
        "time.strftime",
        "datetime.datetime.now",
        "datetime.now",
        "datetime.datetime.utcnow",
    ),
    *("uuid.uuid4", "uuid.uuid1", "tempfile.mkdtemp", "tempfile.TemporaryDirectory", "socket.gethostname", "os.getpid"),
    *("random.random", "random.randint", "secrets.token_hex", "platform.node"),
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield the sources of paths that differ between ranks."""
    reported: set[int] = set()
    for event in (*flow.trace.calls(*_SAVES), *flow.trace.calls(*_WRITERS)):
        if any(site.callee.name.startswith("test_") for site in event.stack):
            continue  # a test of one process
        for value in _paths(event):
            source = path_from(value, _differs)
            if source is None or id(source) in reported:
                continue
            if source.made is not None and source.made.module is not event.module:
                continue
            reported.add(id(source))
            what = source.qual or source.label or "the rank"
            place = (source.made.module, source.made.node) if source.made is not None else (event.module, event.node)
            yield at(
                *place, f"{what} differs between ranks, so the checkpoint of line {event.line} is spread over folders"
            )


def _paths(event: Event) -> Iterator[Value]:
    if event.qual in _WRITERS:
        yield from event.args[:1]
        yield from (value for name, value in event.kwargs.items() if name in ("path", "checkpoint_id"))
    else:
        yield from (value for name, value in event.kwargs.items() if name == "checkpoint_id")
        if event.qual == f"{DCP}.save":
            yield from (value for value in event.args[1:2] if getattr(value, "qual", "") not in _WRITERS)


def _differs(obj: Obj) -> bool:
    return obj.qual in _DIFFER or obj.rank == "global"
