"""What trials measured, as records for later predictions: which are kept, in which file, and which are not."""

from dataclasses import dataclass, field

from contracts.errors import InputError
from contracts.request import Language, Request
from contracts.trials import Trial, TrialResult, Trials
from engines.sizing.calibration import Record, checked, predicted_beside, stored_name
from engines.sizing.choose import setup_of
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say
from knowledge.devices import find_device


@dataclass
class Kept:
    """What is to be written, and what is said of it."""

    files: dict[str, list[Record]] = field(default_factory=dict)
    """Records by the name of their file."""
    said: list[str] = field(default_factory=list)
    """Why something is not kept."""


def kept_of(tried: Trials, request: Request, shape: ModelShape, ranks: int, run_id: str) -> Kept:
    """Return the records of trials that were measured on a known GPU.

    A resident set of CPU ranks is no reserved memory, and a peak far from its prediction is
    another run's or in another unit (`calibration.MOST_RATIO`): neither is kept.

    Args:
        tried: Trials with their results.
        request: What was asked.
        shape: The model.
        ranks: Ranks in all.
        run_id: The run, named as the source of its records.
    """
    kept, language = Kept(), request.language or "en"
    for trial, result in zip(tried.trials, tried.results, strict=False):
        if result.status != "measured":
            continue
        why_not = _unfit(result, language)
        if why_not:
            kept.said.append(say("not_kept", language, label=trial.label, why=why_not))
            continue
        try:
            name, record = _record(trial, result, request, shape, ranks, f"run {run_id}, trial {trial.label}")
        except InputError as error:
            kept.said.append(say("not_kept", language, label=trial.label, why=error.message))
            continue
        kept.files.setdefault(name, []).append(record)
    return kept


def _unfit(result: TrialResult, language: Language) -> str:
    if result.peak_of != "cuda_reserved" or result.peak_gib is None:
        return say("resident", language)
    if result.device is None or find_device(result.device) is None:
        return say("device_unknown", language, device=result.device)
    return "" if result.torch else say("torch_unknown", language)


def _record(
    trial: Trial, result: TrialResult, request: Request, shape: ModelShape, ranks: int, source: str
) -> tuple[str, Record]:
    device = find_device(result.device or "")
    assert device is not None
    assert result.peak_gib is not None
    setup = setup_of(request, trial.recipe, ranks)
    record = checked(Record(shape, setup, result.peak_gib, source, result.speed_ratio), source)
    predicted_beside(record, source)
    return stored_name(device.name, str(result.torch)), record
