"""Estimates with what goes beyond a prediction: models of the hub, measured peaks, charts."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import CannotBeKnown, FileUnreadable, InputError
from contracts.regular import open_regular

if TYPE_CHECKING:
    from contracts.settings import Settings
    from engines.sizing.calibration import Record
    from engines.sizing.setup import TrainingSetup
    from engines.sizing.shape import ModelShape
    from interfaces.results_sizing import Estimate
    from knowledge.devices import Device

STORED = "stored"
"""In the place of a file of measured peaks: what trials have kept."""
_MOST_CALIBRATION_BYTES = 16 << 20


def estimate(
    model: str, gpu: str | None, settings: dict[str, Any], *, hub: bool = False, calibration: Path | None = None
) -> "Estimate":
    """Predict the peak memory of one rank.

    Args:
        model: A Hugging Face folder, its config.json, a known name, or with `hub` a model's id.
        gpu: A known GPU such as "H100"; None: whether it fits is not judged.
        settings: Fields of `engines.sizing.setup.TrainingSetup`; the others are assumed, and named.
        hub: Whether a model that is not known here is looked up on the Hugging Face hub.
        calibration: File of measured peaks to take into account; None: none.

    Raises:
        CannotBeKnown: The model or the GPU is not known, or the hub cannot be reached.
        InputError: The model or the file cannot be read, or settings contradict each other.
    """
    from engines.sizing.assumed import estimate_interval
    from engines.sizing.calibration import calibrated
    from engines.sizing.half_precision import settings_for
    from interfaces.results_sizing import CalibrationUsed, Estimate

    settings, assumed = settings_for(known_gpu(gpu) if gpu else None, settings)
    shape, setup = subject(model, settings, hub=hub)
    memory = estimate_interval(shape, setup, settings.keys(), capacity_gib(gpu) if gpu else None)
    memory = memory.model_copy(update={"assumptions": (*assumed, *memory.assumptions)})
    answer = Estimate.for_model(shape.name, shape.params, setup.ranks, memory)
    if calibration is None:
        return answer
    peak, used = calibrated(records_of(calibration), setup, memory.reserved_gib)
    shown = tuple(
        CalibrationUsed(source=item.source, measured_gib=item.measured_gib, predicted_gib=item.predicted_gib)
        for item in used
    )
    return answer.with_calibration(peak, shown, str(calibration))


def subject(model: str, settings: dict[str, Any], *, hub: bool = False) -> "tuple[ModelShape, TrainingSetup]":
    """Return the model and the settings that an estimate is about.

    Raises:
        CannotBeKnown: The model is not known, or the hub cannot be reached.
        InputError: The model cannot be read, or settings contradict each other.
    """
    from engines.sizing.hf_config import from_config, shape_of
    from engines.sizing.setup import make_setup

    setup = make_setup(**settings)
    try:
        return shape_of(model), setup
    except CannotBeKnown:
        if not hub:
            raise
        from interfaces.hub import fetch_config, is_hub_id

        if not is_hub_id(model):
            raise
        return from_config(fetch_config(model), model), setup


def store_peak(
    calibration: Path,
    model: str,
    settings: dict[str, Any],
    measured_gib: float,
    source: str,
    *,
    gpu: str | None = None,
    hub: bool = False,
) -> None:
    """Add a measured peak to a file.

    Args:
        calibration: The file; made where it is missing.
        model: As in `estimate`.
        settings: As in `estimate`.
        measured_gib: Reserved memory of the fullest rank, in GiB.
        source: Where it was measured, such as a run's id.
        gpu: As in `estimate`.
        hub: As in `estimate`.

    Raises:
        InputError: The measurement is impossible, has no source, or the file cannot be written.
    """
    from engines.sizing.calibration import Record, checked, predicted_beside
    from engines.sizing.half_precision import settings_for

    settings, _ = settings_for(known_gpu(gpu) if gpu else None, settings)
    record = checked(Record(*subject(model, settings, hub=hub), measured_gib, source), str(calibration))
    predicted_beside(record, "--measured")
    records_of(calibration) if calibration.exists() else None  # what is no such file is not written to
    try:
        with open(calibration, "a", encoding="utf-8") as stream:
            stream.write(record.line() + "\n")
    except OSError as error:
        raise InputError(f"cannot write {calibration}: {error.strerror}") from None


def draw(path: Path, model: str, gpu: str | None, settings: dict[str, Any], over: str, *, hub: bool = False) -> None:
    """Write a chart of one training step's memory, and of the peak against a setting.

    Args:
        path: File to write; its suffix names the form.
        model: As in `estimate`.
        gpu: As in `estimate`; its memory is drawn as the limit.
        settings: As in `estimate`.
        over: "seq_len" or "ranks".
        hub: As in `estimate`.

    Raises:
        InputError: The form is unknown, or the file cannot be written.
    """
    from engines.sizing.half_precision import settings_for
    from interfaces.sizing_chart import check_form, draw_chart

    check_form(path)
    settings, _ = settings_for(known_gpu(gpu) if gpu else None, settings)
    shape, setup = subject(model, settings, hub=hub)
    draw_chart(path, shape, setup, gpu, capacity_gib(gpu) if gpu else None, over)


def capacity_gib(gpu: str) -> float:
    """Return the usable memory of a known GPU in GiB.

    Raises:
        CannotBeKnown: It is not known.
    """
    return known_gpu(gpu).usable_gib


def known_gpu(name: str) -> "Device":
    """Return a GPU that is known.

    Raises:
        CannotBeKnown: It is not.
    """
    from knowledge.devices import devices, find_device

    device = find_device(name)
    if device is None:
        known = ", ".join(known.name for known in devices().values())
        raise CannotBeKnown(f"the GPU {name!r} is not known", code="gpu_unknown", hint=f"known: {known}")
    return device


def calibration_file(settings: "Settings", word: str, gpu: str | None) -> Path:
    """Return the file of measured peaks that is meant.

    Args:
        settings: The home folder and the training interpreter, whose torch counts.
        word: A path, or `stored` for what trials have kept on such a GPU with that torch.
        gpu: A known GPU.

    Raises:
        InputError: Nothing is stored for it, or the GPU is not named.
        CannotBeKnown: The GPU is not known.
        RunnerError: The interpreter has no torch.
    """
    if word != STORED:
        return Path(word)
    from engines.sizing.calibration import stored_name
    from interfaces.training_python import torch_version
    from knowledge.devices import find_device
    from runners import Home

    if gpu is None:
        raise InputError("what is stored belongs to a GPU", hint="name it with --gpu")
    capacity_gib(gpu)  # raises for one that is not known
    device = find_device(gpu)
    assert device is not None
    folder = Home(settings.home).calibrations
    path = folder / stored_name(device.name, torch_version(settings.interpreter))
    if not path.is_file():
        raise InputError(
            f"nothing is stored for {device.name} with this torch: {path}",
            code="calibration_missing",
            hint="fsdp-agent plan ... --trials 3 --store-calibration measures it",
        )
    return path


def records_of(path: Path) -> "tuple[Record, ...]":
    """Return the measured peaks of a file.

    Raises:
        FileUnreadable: It cannot be read.
        InputError: It is too large, or a line is no record.
    """
    from engines.sizing.calibration import read_records

    try:
        with open_regular(path) as stream:
            content = stream.read(_MOST_CALIBRATION_BYTES + 1)
    except OSError as error:
        raise FileUnreadable(f"cannot read {path}: {error.strerror}") from None
    if len(content) > _MOST_CALIBRATION_BYTES:
        raise InputError(f"{path} is larger than {_MOST_CALIBRATION_BYTES >> 20} MiB: no file of measured peaks")
    return read_records(content.decode("utf-8", "replace"), str(path))
