"""A plan with what goes beyond a prediction: a varied setting, a dry run, measured peaks, files."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import InputError

if TYPE_CHECKING:
    from contracts.plan import Plan
    from contracts.request import Request
    from contracts.settings import Settings
    from engines.sizing.setup import TrainingSetup
    from interfaces.direct import Ask
    from interfaces.results_dryrun import DryRunAnswer
    from interfaces.results_plan import PlanAnswer


@dataclass(frozen=True)
class More:
    """What is wanted beside the plan."""

    vary: str | None = None
    """A setting and its values, as "micro_batch=1,2,4"."""
    dry_run: bool = False
    """Whether the chosen configuration is run dry."""
    calibration: str | None = None
    """File of measured peaks, or `stored`."""
    write_to: Path | None = None
    """Folder for the plan in the words of each framework."""


def plan_with(settings: "Settings", request: "Request", more: More, ask: "Ask") -> "PlanAnswer":
    """Return a plan with what is wanted beside it.

    Args:
        settings: The home folder and the training interpreter, for a dry run.
        request: What is asked.
        more: What else is wanted.
        ask: Asks a person, where a dry run is not approved by policy.

    Raises:
        CannotBeKnown: The model, the GPU or the number of ranks is missing or not known.
        InputError: The model cannot be read, or settings contradict each other.
        NotAllowed: Nobody approved the dry run.
        RunnerError: The dry run failed.
    """
    from engines.sizing.choose import setup_of
    from interfaces.results_plan import PlanAnswer
    from interfaces.service import plan_of

    made, whole, shape = plan_of(request, more.write_to)
    setup = setup_of(whole, made.recipe, made.world_size)
    updates: dict[str, Any] = {}
    if more.vary is not None:
        from engines.sizing.vary import vary

        updates["varied"] = vary(whole, made, shape, *_key_and_values(more.vary))
    if more.calibration is not None:
        updates |= _calibrated(settings, whole, made, setup, more.calibration)
    if more.dry_run:
        dry = _dry_run(settings, whole, setup, ask)
        updates |= {"dry_run": dry} | ({"fits": False} if dry.fits is False else {})
    return PlanAnswer.of(made).model_copy(update=updates)


def _key_and_values(text: str) -> tuple[str, list[str]]:
    key, equals, values = text.partition("=")
    listed = [value.strip() for value in values.split(",")]
    if not (equals and key.strip() and all(listed)):
        raise InputError(f"--vary {text!r} is not key=a,b,c, such as micro_batch=1,2,4")
    return key.strip(), listed


def _dry_run(settings: "Settings", request: "Request", setup: "TrainingSetup", ask: "Ask") -> "DryRunAnswer":
    from interfaces.service_dryrun import Subject, dry_run

    fields = type(setup).model_fields
    given = {name: value for name, value in setup.model_dump().items() if value != fields[name].default}
    gpu = request.hardware.gpu_type if request.hardware.device == "cuda" else None
    model = request.model
    assert model is not None, "a plan has a model"
    return dry_run(settings, Subject(model.path or model.name), given, gpu, ask)


def _calibrated(
    settings: "Settings", request: "Request", made: "Plan", setup: "TrainingSetup", word: str
) -> dict[str, Any]:
    """Return the plan's figures in the light of measurements, and whether it fits by them."""
    from engines.sizing.calibration import calibrated, speed_ratio
    from engines.sizing.search.option import limit_gib
    from interfaces.results_plan import PlanCalibrated
    from interfaces.results_sizing import CalibrationUsed
    from interfaces.service_sizing import calibration_file, records_of

    path = calibration_file(settings, word, request.hardware.gpu_type)
    records, memory, speed = records_of(path), made.memory, made.throughput
    assert memory is not None, "a plan of a model predicts its memory"
    peak, used = calibrated(records, setup, memory.reserved_gib)
    ratio = speed_ratio(records, setup)
    told = PlanCalibrated(
        file=str(path),
        reserved_gib=None if peak is None else round(peak, 6),
        tokens_per_s_per_gpu=None if ratio is None or speed is None else round(speed.tokens_per_s_per_gpu * ratio, 2),
        used=tuple(CalibrationUsed(**vars(one)) for one in used),
    )
    if peak is None or memory.capacity_gib is None:
        return {"calibrated": told}
    return {"calibrated": told, "fits": peak <= limit_gib(memory.capacity_gib, request.aim.margin_pct)}
