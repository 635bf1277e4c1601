"""`fsdp-agent estimate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contracts.errors import CannotBeKnown, InputError
from contracts.units import count_text, size_text
from interfaces.cli import exits
from interfaces.cli.dryrun import DryRunFlag, FactoryFolderOption, FactoryOption, QuickFlag, show_dry_run
from interfaces.cli.options import Form, FormatOption, HomeOption, InterpreterOption, JsonFlag, output, settings
from interfaces.cli.output import Output
from interfaces.cli.sizing_options import (
    CalibrationOption,
    GpuOption,
    GpusOption,
    MeasuredOption,
    MicroBatchOption,
    ModelOption,
    PlotOption,
    SeqLenOption,
)

if TYPE_CHECKING:
    from contracts.settings import Settings
    from interfaces.results_sizing import Estimate

SETTING_HELP = "Any other setting as name=value, such as tp=2 or loss_impl=chunked; may be repeated."
"""Help of --set."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(estimate)


def estimate(
    model: ModelOption = None,
    gpus: GpusOption = None,
    gpu: GpuOption = None,
    seq_len: SeqLenOption = None,
    micro_batch: MicroBatchOption = None,
    precision: Annotated[str | None, typer.Option(help="Compute dtype: bf16, fp16 or fp32.")] = None,
    optimizer: Annotated[str | None, typer.Option(help="adamw, adamw_8bit, sgd, adafactor, muon ...")] = None,
    activation_checkpointing: Annotated[str | None, typer.Option(help="none, full, selective_op or every_k.")] = None,
    lora: Annotated[int | None, typer.Option(min=1, help="Rank of LoRA adapters; all weights without it.")] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", help=SETTING_HELP)] = None,
    dry_run: DryRunFlag = False,
    quick: QuickFlag = False,
    factory: FactoryOption = None,
    factory_folder: FactoryFolderOption = None,
    interpreter: InterpreterOption = None,
    home: HomeOption = None,
    runs: Annotated[Path | None, typer.Option(help="JSON Lines of recorded runs, a prediction for each.")] = None,
    plot: PlotOption = None,
    plot_over: Annotated[str, typer.Option(help="Setting of the chart's second panel: seq_len or ranks.")] = "seq_len",
    calibration: CalibrationOption = None,
    measured: MeasuredOption = None,
    source: Annotated[str | None, typer.Option(help="Where --measured was measured, such as a run's id.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Predict the peak memory of a rank.

    Exit code 1 where it does not fit the GPU. With --dry-run, fully_shard runs its steps on
    tensors without memory, beside the prediction: another --interpreter than the agent's, and
    your own model (--factory), need your approval. With --runs, one JSON object for each row.
    """
    out = output(json, form)
    if runs is not None:
        return _estimate_runs(out, runs)
    if (model is None) == (factory is None):
        raise InputError("nothing to estimate", hint="give --model with --gpus and --seq-len, or --runs FILE.jsonl")
    require(("--gpus", gpus), ("--seq-len", seq_len))
    named = {"ranks": gpus, "seq_len": seq_len, "micro_batch": micro_batch, "param_dtype": precision}
    named |= {"optimizer": optimizer, "ac": activation_checkpointing, "lora_rank": lora}
    given = {name: value for name, value in named.items() if value is not None}
    given |= read_settings(setting or [])
    if dry_run or model is None:
        subject = model, factory, factory_folder
        return show_dry_run(out, settings(home, interpreter), subject, given, gpu, quick=quick)
    from interfaces import service_sizing

    place = settings(home, interpreter)
    calibration = _measurements(place, model, given, gpu, calibration, (measured, source))
    answer = service_sizing.estimate(model, gpu, given, hub=True, calibration=calibration)
    if plot is not None:
        service_sizing.draw(plot, model, gpu, given, plot_over, hub=True)
        out.note(f"chart: {plot}")
    if out.as_json:
        out.answer(answer)
    else:
        _print(out, answer)
    return exits.BAD_NEWS if answer.fits is False else exits.ANSWERED


def _measurements(
    place: "Settings",
    model: str,
    given: dict[str, Any],
    gpu: str | None,
    calibration: Path | None,
    run: tuple[float | None, str | None],
) -> Path | None:
    """Store what a run took, where that is given; return the file of measured peaks that is meant, if any."""
    from interfaces import service_sizing

    measured, source = run
    if measured is None and source is None:
        return None if calibration is None else service_sizing.calibration_file(place, str(calibration), gpu)
    if calibration is None or measured is None or source is None:
        raise InputError("a measured peak is stored with --measured, --source and --calibration together")
    service_sizing.store_peak(calibration, model, given, measured, source, gpu=gpu, hub=True)
    return calibration


def require(*inputs: tuple[str, int | None]) -> None:
    """Check that inputs without a sensible default are there.

    Raises:
        CannotBeKnown: One of them is missing.
    """
    for name, value in inputs:
        if value is None:
            raise CannotBeKnown(f"{name} is missing, and no default would be sensible", code="input_missing")


def read_settings(words: list[str]) -> dict[str, Any]:
    """Return settings given as name=value; values are JSON where they can be read as such.

    Raises:
        InputError: A word is not name=value.
    """
    import json

    chosen: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise InputError(f"--set {word!r} is not name=value, such as tp=2")
        try:
            chosen[name] = json.loads(text)
        except json.JSONDecodeError:
            chosen[name] = text
    return chosen


def _estimate_runs(out: Output, path: Path) -> int:
    from interfaces.service import estimate_runs

    for line in estimate_runs(path):
        out.answer(line)
    return exits.ANSWERED


def _print(out: Output, answer: "Estimate") -> None:
    from interfaces.cli.sizing_text import judged, show_memory

    fits = judged(answer.fits, answer, "not judged: give --gpu")
    out.progress(f"{answer.model}, {count_text(answer.params)} parameters, {answer.ranks} ranks: {fits}")
    show_memory(out, answer)
    if answer.low_gib is not None and answer.high_gib is not None:
        out.progress(
            f"with what was left open: between {size_text(answer.low_gib)} and {size_text(answer.high_gib)} reserved"
        )
    if answer.host_gib:
        host, node = size_text(answer.host_gib), size_text(answer.host_gib_per_node)
        out.progress(f"host memory for what is offloaded: {host} per rank, {node} per machine")
    _print_calibration(out, answer)
    for assumption in answer.assumptions:
        out.progress(f"assumed: {assumption}")
    for reason in answer.unsupported:
        out.progress(f"not expressed: {reason}")


def _print_calibration(out: Output, answer: "Estimate") -> None:
    if answer.calibration_file is None:
        return
    if answer.calibrated_gib is None:
        out.progress(f"{answer.calibration_file}: no measured run of this kind")
        return
    out.progress(
        f"calibrated by {len(answer.calibration)} measured peak(s): {size_text(answer.calibrated_gib)} reserved"
    )
    for used in answer.calibration:
        out.progress(
            f"  {used.source}: measured {size_text(used.measured_gib)}, predicted {size_text(used.predicted_gib)}"
        )
