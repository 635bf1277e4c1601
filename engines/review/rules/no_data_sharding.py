"""FSDP092: every rank shuffles the same data with the same seed: all train on the same batches.

Silent where a framework injects the sampler, where data or seed depend on the rank, and for
data sets that are made up or split already.
"""

import re
from collections.abc import Iterator

from engines.review.flow.knowing import constant, options, origins
from engines.review.flow.trace import Event
from engines.review.flow.training import backwards, made_from
from engines.review.flow.values import Class, Obj, Value
from engines.review.flow.written import names_in
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP092",
    slug="no-data-sharding",
    severity="error",
    fix="DataLoader(dataset, sampler=DistributedSampler(dataset)), or datasets.distributed.split_dataset_by_node.",
)

_LOADERS = ("torch.utils.data.DataLoader",)
_SAMPLING = ("sampler", "batch_sampler", "**", "*", "worker_init_fn", "generator")
_LOCAL_SAMPLERS = tuple(
    f"torch.utils.data.{name}" for name in ("RandomSampler", "SequentialSampler", "WeightedRandomSampler")
)
_BATCHES = "torch.utils.data.BatchSampler"
_CARED_FOR = re.compile(
    r"DistributedSampler|split_dataset_by_node|\.shard\(|StatefulDistributedSampler|IterableDataset|accelerat|lightning"
    r"|StreamingDataset|webdataset|composer|Trainer\(|deepspeed|torchdata|data_parallel_rank|dp_rank|\.prepare\("
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield shuffling loaders that drive a training loop of a sharded model."""
    if any(_CARED_FOR.search(module.code) for module in flow.modules) or not flow.shards_anything():
        return
    back = list(backwards(flow.trace))
    for event in flow.trace.calls(*_LOADERS):
        plain = _samples_the_whole(event)
        if not plain and (any(name in event.kwargs for name in _SAMPLING) or not _shuffles(event)):
            continue
        if _depends_on_rank(event.arg(0, "dataset")) or _made_up(event.arg(0, "dataset")) or _seeded_by_rank(flow):
            continue
        if any(_drives(flow, event, b) for b in back):
            yield flow.hit(event, "no sampler splits the data: every rank reads the same batches in the same order")


def _samples_the_whole(event: Event) -> bool:
    """Tell whether the sampler is one that knows nothing of ranks."""
    given = [*options(event.kwargs.get("sampler")), *options(event.kwargs.get("batch_sampler"))]
    inner = [o.made.arg(0, "sampler") for o in given if isinstance(o, Obj) and o.made and o.qual == _BATCHES]
    given += [option for value in inner for option in options(value)]
    return any(isinstance(o, Obj) and o.qual in _LOCAL_SAMPLERS for o in given)


def _shuffles(event: Event) -> bool:
    """Tell whether the loader shuffles, or its data set is one with an index, so that order is the loader's."""
    if constant(event.arg(2, "shuffle")) is True:
        return True
    return any(
        isinstance(o, Obj) and o.cls is not None and o.cls.member("__getitem__") and not o.cls.member("__iter__")
        for o in options(event.arg(0, "dataset"))
    )


def _drives(flow: Flow, loader: Event, back: Event) -> bool:
    for loop in back.loops:
        for iterated in flow.trace.iterated.get(id(loop), ()):
            if any(source is loader.result for source in origins(iterated, 60)):
                return True
    return False


def _depends_on_rank(value: Value | None) -> bool:
    held = [part for o in options(value) if isinstance(o, Obj) and o.cls is not None for part in o.attrs.values()]
    return any(made_from(part, lambda obj: obj.rank in ("global", "local")) is not None for part in (value, *held))


def _made_up(value: Value | None) -> bool:
    """Random tensors, or a class of the project that makes them."""
    for source in origins(value):
        if isinstance(source, Obj) and source.qual.startswith(("torch.rand", "torch.randn", "torch.randint")):
            return True
        if (
            isinstance(source, Obj)
            and isinstance(source.cls, Class)
            and any("rand" in name for name in names_in(source.cls.node))
        ):
            return True
    return False


def _seeded_by_rank(flow: Flow) -> bool:
    for event in flow.trace.calls("torch.manual_seed", "torch.cuda.manual_seed", "random.seed", "numpy.random.seed"):
        for value in event.args:
            if any(isinstance(option, Obj) and option.rank for option in options(value)) or _depends_on_rank(value):
                return True
    return False
