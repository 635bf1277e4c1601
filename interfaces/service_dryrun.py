"""Dry run: real `fully_shard` on a card that is not there, beside the prediction."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import RequestInvalid, RunnerError
from contracts.run import RunRecord
from contracts.settings import Settings
from interfaces.direct import Ask, submit_direct, until_end
from interfaces.results_dryrun import ComponentDifference, DryRun, DryRunAnswer
from interfaces.service_jobs import open_runner

if TYPE_CHECKING:
    from engines.sizing.dryrun_figures import Figures
    from engines.sizing.setup import TrainingSetup
    from engines.sizing.shape import ModelShape
    from interfaces.results_sizing import Estimate

_LIMIT_S = 1800.0
"""A model of 405 billion parameters takes some minutes on a loaded machine."""

_DECIMALS = 6
_FIT_ERROR_PCT = 8.0


@dataclass(frozen=True)
class Subject:
    """What is run dry: exactly one of the two."""

    model: str | None = None
    """A Hugging Face folder, its config.json, a known name, or a model's id on the hub."""
    factory: str | None = None
    """`module:function` of the user's."""
    folder: Path | None = None
    """Folder of the factory's module; the working folder where None."""


def dry_run(
    settings: Settings, subject: Subject, given: Mapping[str, Any], gpu: str | None, ask: Ask, *, quick: bool = False
) -> DryRunAnswer:
    """Run training steps without memory and return what they would take.

    Args:
        settings: The home folder and the training interpreter.
        subject: The model.
        given: Fields of `engines.sizing.setup.TrainingSetup`.
        gpu: A known GPU; None: whether it fits is not judged.
        ask: Asks a person; needed for a factory, and for another interpreter than the agent's.
        quick: Run a few layers and extrapolate.

    Raises:
        InputError: The model cannot be read, or a setting cannot be run dry.
        CannotBeKnown: The model or the GPU is not known.
        NotAllowed: Nobody approved it.
        RunnerError: It failed; the message has its words.
    """
    from engines.sizing.dryrun_request import dryrun_settings, inexpressible, quick_layers
    from engines.sizing.half_precision import settings_for
    from engines.sizing.setup import make_setup
    from interfaces.service_sizing import known_gpu
    from runners import Home, prepare_dryrun

    given, assumed = settings_for(known_gpu(gpu) if gpu else None, dict(given))
    setup = make_setup(**{"norm_kernel": "decomposed", **given})
    reasons = inexpressible(setup)
    if reasons:
        raise RequestInvalid(f"this cannot be run dry: {'; '.join(reasons)}", hint="estimate it without --dry-run")
    shape, config = _model(subject.model) if subject.model is not None else (None, None)
    asked = dryrun_settings(setup, shape)
    layers = quick_layers(shape, setup) if quick and shape is not None else ()
    asked["layers"] = list(layers)
    prepared = prepare_dryrun(
        Home(settings.home),
        asked,
        model_config=config,
        factory=subject.factory,
        folder=subject.folder,
        interpreter=settings.interpreter,
    )
    started = submit_direct(settings, prepared.launch, ask)
    run = until_end(open_runner(settings), started.run_id, _LIMIT_S)
    answer = _answer(run, Path(settings.home) / "runs" / run.run_id, shape, setup, gpu)
    if answer.prediction is None or not assumed:
        return answer
    told = (*assumed, *answer.prediction.assumptions)
    return answer.model_copy(update={"prediction": answer.prediction.model_copy(update={"assumptions": told})})


def _model(model: str) -> "tuple[ModelShape, dict[str, Any]]":
    """Return the shape, and the fields of the config.json that transformers is given."""
    import json

    from engines.sizing.hf_config import from_config, shape_of
    from knowledge.shapes import find_shape

    path = Path(model)
    if path.exists():
        shape = shape_of(model)  # raises for what cannot be read
        file = path / "config.json" if path.is_dir() else path
        return shape, json.loads(file.read_text("utf-8"))
    found = find_shape(model)
    if found is not None:
        return shape_of(model), dict(found.config)
    from interfaces.hub import fetch_config, is_hub_id

    if not is_hub_id(model):
        return shape_of(model), {}  # raises: it is not known
    config = fetch_config(model)
    return from_config(config, model), config


def _answer(
    run: RunRecord, folder: Path, shape: "ModelShape | None", setup: "TrainingSetup", gpu: str | None
) -> DryRunAnswer:
    from engines.sizing.dryrun import replay_trace
    from engines.sizing.dryrun_figures import QUICK_ERROR_PCT, extrapolated, figures_of
    from engines.sizing.dryrun_trace import read_trace
    from engines.sizing.estimate import OVERHEAD_GIB
    from interfaces.service_sizing import capacity_gib

    if run.state != "done":
        hint = f"its words: fsdp-agent jobs logs {run.run_id}"
        raise RunnerError(f"the dry run did not end well: {run.reason or run.state}", code="dryrun_failed", hint=hint)
    traces = [read_trace(folder / name) for name in _files(run)]
    found = [(int(trace.head["layers"]), replay_trace(trace, expandable=setup.expandable_segments)) for trace in traces]
    whole = len(found) == 1 or shape is None
    layers = found[-1][0] if whole or shape is None else shape.layers
    figures = figures_of(found[-1][1]) if whole else extrapolated(found, layers)
    capacity = capacity_gib(gpu) if gpu else None
    prediction = _prediction(shape, setup, capacity)
    upper = figures.reserved * (1 + _FIT_ERROR_PCT / 100) + OVERHEAD_GIB
    counted, torch = tuple(number for number, _ in found), str(traces[-1].head["torch"])
    return DryRunAnswer(
        model=shape.name if shape else str(traces[-1].head["model"]),
        params=shape.params if shape else int(traces[-1].head["params"]),
        ranks=setup.ranks,
        fits=None if capacity is None else upper <= capacity,
        dry_run=_shown(figures, counted, layers, torch, 0.0 if whole else QUICK_ERROR_PCT),
        prediction=prediction,
        differences=_differences(shape, setup, figures) if shape else (),
        run=run,
    )


def _shown(figures: "Figures", traced: tuple[int, ...], layers: int, torch: str, error_pct: float) -> DryRun:
    return DryRun(
        torch=torch,
        traced_layers=traced,
        layers=layers,
        active_gib=round(figures.active, _DECIMALS),
        reserved_gib=round(figures.reserved, _DECIMALS),
        step1_reserved_gib=round(figures.first_step, _DECIMALS),
        host_gib=round(figures.host, _DECIMALS),
        peak_phase=figures.phase,
        breakdown={name: round(size, _DECIMALS) for name, size in figures.parts.items() if size},
        error_pct=error_pct,
    )


def _prediction(shape: "ModelShape | None", setup: "TrainingSetup", capacity: float | None) -> "Estimate | None":
    from engines.sizing.estimate import estimate_memory
    from interfaces.results_sizing import Estimate

    if shape is None:
        return None
    return Estimate.for_model(shape.name, shape.params, setup.ranks, estimate_memory(shape, setup, capacity))


def _differences(shape: "ModelShape", setup: "TrainingSetup", dry: "Figures") -> tuple[ComponentDifference, ...]:
    from engines.sizing.dryrun_figures import difference_pct, predicted

    guess = predicted(shape, setup)
    pairs = {
        "active": (guess.active, dry.active),
        "reserved": (guess.reserved, dry.reserved),
        "step1_reserved": (guess.first_step, dry.first_step),
    }
    for name in {**guess.parts, **dry.parts}:
        pairs[name] = guess.parts.get(name, 0.0), dry.parts.get(name, 0.0)
    return tuple(
        ComponentDifference(
            component=name,
            predicted_gib=round(first, _DECIMALS),
            dry_run_gib=round(second, _DECIMALS),
            difference_pct=round(difference_pct(first, second), 3) if second else None,
        )
        for name, (first, second) in pairs.items()
        if first or second
    )


def _files(run: RunRecord) -> list[str]:
    """Return the names of the traces in the run folder.

    Raises:
        RunnerError: The result names none, or a path.
    """
    listed = run.result.get("traces")
    names = [str(entry.get("file")) for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    if not names or any(Path(name).name != name for name in names):
        raise RunnerError(f"{run.run_id} left a result that is none of a dry run", code="dryrun_failed")
    return names
