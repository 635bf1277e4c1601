"""Measured peaks of a user's own runs, and what they say of a prediction. Never used unless a file is named.

A file holds one JSON object on each line: the model's shape, the settings, the measured
reserved memory in GiB and where it was measured. A record speaks for a prediction when
what decides the kind of a run is the same; the prediction is then multiplied by the mean
ratio of measured to predicted, and each record that was used is shown with its source.
"""

import json
import re
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

MOST_RATIO = 3.0
"""A peak further than this from its prediction, either way, is another run's, or in another unit: the
memory model is right within 8 % where it knows what runs, and within a half where it does not."""

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
    speed_ratio: float | None = None
    """Measured over predicted tokens per second; None where speed was not measured or not predicted."""

    def line(self) -> str:
        """The record as a line of a file."""
        fields = {"shape": self.shape.model_dump(mode="json"), "setup": self.setup.model_dump(mode="json")}
        numbers = {"reserved_gib": self.reserved_gib, "source": self.source}
        speed = {} if self.speed_ratio is None else {"speed_ratio": self.speed_ratio}
        return json.dumps(fields | numbers | speed, sort_keys=True)


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
        speed = None if fields.get("speed_ratio") is None else float(fields["speed_ratio"])
    except (ValidationError, ValueError, KeyError, TypeError, RecursionError) as problem:
        said = str(problem).splitlines()[0][:120]
        raise RequestInvalid(f"{place} is no record of a measured peak: {said}") from None
    return checked(Record(shape, setup, measured, source, speed), place)


def checked(record: Record, place: str) -> Record:
    """Return a record that has a source and a possible measurement.

    Raises:
        RequestInvalid: It has not.
    """
    if not record.source.strip():
        raise RequestInvalid(f"{place} does not say where its peak was measured")
    if not isfinite(record.reserved_gib) or record.reserved_gib <= 0:
        raise RequestInvalid(f"{place}: a peak of {record.reserved_gib} GiB cannot have been measured")
    if record.speed_ratio is not None and not 1 / MOST_RATIO <= record.speed_ratio <= MOST_RATIO:
        raise RequestInvalid(f"{place}: a speed of {record.speed_ratio:.3g} times the prediction is none of such a run")
    return record


def predicted_beside(record: Record, place: str) -> float:
    """Return what is predicted for a record's run, in GiB.

    Raises:
        RequestInvalid: The measurement is so far from it that it cannot be of this run.
    """
    predicted = estimate_memory(record.shape, record.setup).reserved_gib
    ratio = record.reserved_gib / predicted
    if not 1 / MOST_RATIO <= ratio <= MOST_RATIO:
        raise RequestInvalid(
            f"{place}: {record.reserved_gib:.6g} GiB measured ({record.source}) are {ratio:.3g} times the "
            f"{predicted:.6g} GiB predicted for this model and these settings",
            hint=f"check unit, model and settings; up to {MOST_RATIO:g} times is taken for a measurement of this run",
        )
    return predicted


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

    Raises:
        RequestInvalid: A record that would speak for it cannot be of the run that it describes.
    """
    used = []
    for record in _of_kind(records, setup):
        predicted = predicted_beside(record, "a measured peak")
        used.append(Used(record.source, record.reserved_gib, predicted))
    if not used:
        return None, ()
    ratio = exp(mean(log(item.measured_gib / item.predicted_gib) for item in used))
    return reserved_gib * ratio, tuple(used)


def speed_ratio(records: tuple[Record, ...], setup: TrainingSetup) -> float | None:
    """Return the mean ratio of measured to predicted speed of the records of this kind; None where there is none."""
    ratios = [record.speed_ratio for record in _of_kind(records, setup) if record.speed_ratio is not None]
    return exp(mean(log(ratio) for ratio in ratios)) if ratios else None


def _of_kind(records: tuple[Record, ...], setup: TrainingSetup) -> list[Record]:
    return [record for record in records if all(getattr(record.setup, name) == getattr(setup, name) for name in KIND)]


def stored_name(gpu: str, torch: str) -> str:
    """Return the name of the file in which trials keep what they measured.

    Args:
        gpu: Known name of the GPU.
        torch: Version of torch; what follows a plus does not count.
    """
    plain = re.sub(r"[^a-z0-9.]+", "-", gpu.lower()).strip("-")
    version = re.sub(r"[^0-9a-z.]+", "-", torch.partition("+")[0].lower())
    return f"{plain}-torch-{version}.jsonl"
