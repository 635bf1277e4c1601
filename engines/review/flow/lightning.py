"""Lightning: strategies and trainers of a trace."""

from __future__ import annotations

from collections.abc import Iterator

from engines.review.flow.knowing import constant, options
from engines.review.flow.trace import Event, Trace
from engines.review.flow.values import Obj

_TRAINERS = (
    "lightning.pytorch.Trainer",
    "lightning.pytorch.trainer.Trainer",
    "lightning.pytorch.trainer.trainer.Trainer",
)


def strategies(trace: Trace) -> Iterator[Event]:
    """Yield constructor calls of Lightning's FSDPStrategy."""
    for qual, events in list(trace.by_qual.items()):
        if qual.startswith("lightning.") and qual.endswith(".FSDPStrategy"):
            yield from events


def trainers(trace: Trace) -> Iterator[Event]:
    """Yield constructor calls of Lightning's Trainer."""
    yield from trace.calls(*_TRAINERS)


def strategy_of(trainer: Event) -> Event | None:
    """Return the FSDPStrategy call that a trainer is given."""
    for option in options(trainer.kwargs.get("strategy")):
        if isinstance(option, Obj) and option.qual.endswith(".FSDPStrategy"):
            return option.made
    return None


def uses_fsdp(trainer: Event) -> bool:
    """Tell whether a trainer certainly uses FSDP."""
    named = constant(trainer.kwargs.get("strategy"))
    return strategy_of(trainer) is not None or (isinstance(named, str) and named.startswith("fsdp"))
