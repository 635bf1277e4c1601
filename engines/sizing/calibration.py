"""Measured peaks of a user's own runs, and what they say of a prediction. Never used unless a file is named.

A file holds one JSON object on each line: the model's shape, the settings, the measured
reserved memory in GiB and where it was measured. A record speaks for a prediction when
what decides the kind of a run is the same; the prediction is then multiplied by the mean
ratio of measured to predicted, and each record that was used is shown with its source.
"""

import json
from dataclasses import dataclass
from math import exp, isfinite, log
from statistics import mean

from pydantic import ValidationError

from contracts.errors import RequestInvalid
from engines.sizing.estimate import estimate_memory
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape

KIND = ("fsdp", "device", "ac", "compile", "loss_impl", "optimizer", "cpu_offload", "act_offload", "float8", "autocast")
"""Settings that must be equal for a record to speak for a prediction."""

MOST_RECORDS = 10_000
"""More lines than this are no record of a user's own runs."""


@dataclass(frozen=True)
class Record:
    """One measured peak."""

    shape: ModelShape
    """The model."""
    setup: TrainingSetup
    """How it was trained."""
    reserved_gib: float
    """Measured reserved memory of the fullest rank."""
    source: str
    """Where it was measured."""

    def line(self) -> str:
        """The record as a line of a file."""
        fields = {"shape": self.shape.model_dump(mode="json"), "setup": self.setup.model_dump(mode="json")}
        return json.dumps(fields | {"reserved_gib": self.reserved_gib, "source": self.source}, sort_keys=True)


@dataclass(frozen=True)
class Used:
    """A record that was used, beside its prediction."""

    source: str
    """Where it was measured."""
    measured_gib: float
    """What was measured."""
    predicted_gib: float
    """What is predicted for the same run."""


def read_records(text: str, name: str) -> tuple[Record, ...]:
    """Return the records of a file.

    Args:
        text: Its content.
        name: Its name, for messages.

    Raises:
        RequestInvalid: A line is no record; the message names it.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if len(lines) > MOST_RECORDS:
        raise RequestInvalid(f"{name} has {len(lines)} lines; at most {MOST_RECORDS} are read")
    return tuple(_record(line, f"{name}, line {number}") for number, line in lines)


def _record(line: str, place: str) -> Record:
    try:
        fields = json.loads(line)
        shape, setup = ModelShape.model_validate(fields["shape"]), TrainingSetup.model_validate(fields["setup"])
        measured, source = float(fields["reserved_gib"]), str(fields["source"])
    except (ValidationError, ValueError, KeyError, TypeError, RecursionError) as problem:
        said = str(problem).splitlines()[0][:120]
        raise RequestInvalid(f"{place} is no record of a measured peak: {said}") from None
    return checked(Record(shape, setup, measured, source), place)


def checked(record: Record, place: str) -> Record:
    """Return a record that has a source and a possible measurement.

    Raises:
        RequestInvalid: It has not.
    """
    if not record.source.strip():
        raise RequestInvalid(f"{place} does not say where its peak was measured")
    if not isfinite(record.reserved_gib) or record.reserved_gib <= 0:
        raise RequestInvalid(f"{place}: a peak of {record.reserved_gib} GiB cannot have been measured")
    return record


def calibrated(
    records: tuple[Record, ...], setup: TrainingSetup, reserved_gib: float
) -> tuple[float | None, tuple[Used, ...]]:
    """Return a prediction in GiB in the light of the records that speak for it, and those records.

    Args:
        records: What was measured.
        setup: How the run in question is trained.
        reserved_gib: What is predicted for it.

    Returns:
        The prediction times the mean ratio, or None where no record speaks for it.
    """
    used = []
    for record in records:
        if all(getattr(record.setup, name) == getattr(setup, name) for name in KIND):
            predicted = estimate_memory(record.shape, record.setup).reserved_gib
            used.append(Used(record.source, record.reserved_gib, predicted))
    if not used:
        return None, ()
    ratio = exp(mean(log(item.measured_gib / item.predicted_gib) for item in used))
    return reserved_gib * ratio, tuple(used)
