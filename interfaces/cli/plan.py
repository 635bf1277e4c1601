"""`fsdp-agent plan`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contracts.errors import InputError
from contracts.request import Language
from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, HomeOption, InterpreterOption, JsonFlag, output, settings
from interfaces.cli.output import Output
from interfaces.cli.plan_options import (
    DataOption,
    DeviceOption,
    DryRunPlanFlag,
    FollowOption,
    GpuMemoryOption,
    OptimizerOption,
    PlanCalibrationOption,
    StoreFlag,
    TokensOption,
    TrialsOption,
    VaryOption,
)
from interfaces.cli.sizing_options import (
    FailuresOption,
    GpuOption,
    GpusOption,
    MicroBatchOption,
    ModelOption,
    RestartOption,
    SeqLenOption,
    StorageOption,
)

if TYPE_CHECKING:
    from contracts.request import Request
    from interfaces.results_plan import PlanAnswer, PlanCalibrated

_WRITE_HELP = (
    "Folder for the plan as FSDP2 Python, accelerate, Trainer, torchtitan, torchtune, torchrun, Slurm, "
    "Kubeflow TrainJob and SkyPilot files."
)
_GOAL_HELP = "fastest (default), longest_sequence, fewest_gpus or largest_micro_batch."


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(plan)


def plan(
    model: ModelOption = None,
    gpus: GpusOption = None,
    gpu: GpuOption = None,
    gpu_memory: GpuMemoryOption = None,
    device: DeviceOption = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Machines.")] = None,
    seq_len: SeqLenOption = None,
    micro_batch: MicroBatchOption = None,
    precision: Annotated[str | None, typer.Option(help="Compute dtype: bf16 or fp32.")] = None,
    activation_checkpointing: Annotated[str | None, typer.Option(help="none or full.")] = None,
    optimizer: OptimizerOption = None,
    network: Annotated[
        str | None, typer.Option(help="Link between machines: InfiniBand, RoCE 400, '800 Gb/s' ...")
    ] = None,
    goal: Annotated[str | None, typer.Option(help=_GOAL_HELP)] = None,
    margin: Annotated[float | None, typer.Option(min=0, max=50, help="Percent of the peak to keep free.")] = None,
    tokens: TokensOption = None,
    price: Annotated[float | None, typer.Option(min=0, help="Price of one GPU for an hour.")] = None,
    gpu_hours_per_failure: FailuresOption = None,
    storage: StorageOption = None,
    restart_minutes: RestartOption = None,
    lora: Annotated[bool, typer.Option("--lora", help="Train LoRA adapters, not all weights.")] = False,
    request: Annotated[Path | None, typer.Option(help="Request file, in place of the options above.")] = None,
    write: Annotated[Path | None, typer.Option(help=_WRITE_HELP)] = None,
    vary: VaryOption = None,
    dry_run: DryRunPlanFlag = False,
    calibration: PlanCalibrationOption = None,
    trials: TrialsOption = None,
    store_calibration: StoreFlag = False,
    data: DataOption = None,
    follow: FollowOption = None,
    interpreter: InterpreterOption = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Choose a configuration and say why.

    Nothing is started without you: --trials asks first, and --dry-run runs without a GPU. For several
    machines it also tells the mesh, the expected scaling, and how often to save under failures. Exit code 1
    where it does not fit or FSDP is not needed, 3 where an input without a sensible default is missing.
    """
    return _answer(dict(locals()))


def _answer(options: dict[str, Any]) -> int:
    """Print what the options ask for and return the exit code."""
    out = output(options["json"], options["form"])
    asked = _request(options)
    if asked.trials:
        from interfaces.cli.trying import try_out

        if any(options[name] for name in ("vary", "dry_run", "write", "calibration")):
            raise InputError("--trials stands alone: leave --vary, --dry-run, --write, --calibration to another call")
        return try_out(out, asked, options["home"], options["interpreter"], options["follow"])
    if options["store_calibration"] or options["data"] or options["follow"] is not None:
        raise InputError("--store-calibration, --data and --follow belong to --trials")
    from interfaces.cli.asking import ask_person
    from interfaces.service_plan import More, plan_with

    more = More(options["vary"], options["dry_run"], options["calibration"], options["write"])
    place = settings(options["home"], options["interpreter"])
    answer = plan_with(place, asked, more, lambda launch: ask_person(out, launch))
    if out.as_json:
        out.answer(answer)
    else:
        _print(out, answer, _language(asked))
    return exits.ANSWERED if answer.verdict == "use_fsdp" and answer.fits is not False else exits.BAD_NEWS


def _request(options: dict[str, Any]) -> "Request":
    """Return the request of the options, or of the file."""
    from interfaces.service import make_request, read_request_file

    fields = _without_none(_fields(options))
    trials = {"trials": options["trials"], "store_calibration": options["store_calibration"] or None}
    trials = _without_none(trials)
    if (options["request"] is not None) == bool(fields):
        raise InputError("give either --request FILE, or --model with --gpus and --gpu")
    if options["request"] is None:
        data = {"data": {"train": str(options["data"])}} if options["data"] else {}
        return make_request(fields | trials | data | {"intent": "plan"})
    asked = read_request_file(options["request"])
    if options["data"]:
        raise InputError("with --request, data.train stands in the file")
    return asked.model_copy(update=trials)


def _fields(options: dict[str, Any]) -> dict[str, Any]:
    """Return the request's fields of the options; None where one was not given."""
    on_cpu = options["device"] == "cpu"
    hardware = {
        "device": options["device"] and options["device"].value,
        "ranks" if on_cpu else "gpus": options["gpus"],
        "gpu_type": options["gpu"],
        "gpu_mem_gb": options["gpu_memory"],
        "nodes": options["nodes"],
        "network": options["network"],
    }
    recipe = {name: options[name] for name in ("seq_len", "micro_batch", "activation_checkpointing")}
    reliability = {
        "gpu_hours_per_failure": options["gpu_hours_per_failure"],
        "storage_gb_per_s": options["storage"],
        "restart_minutes": options["restart_minutes"],
    }
    return {
        "model": _model(options["model"]),
        "optimizer": options["optimizer"] and options["optimizer"].value,
        "hardware": hardware,
        "recipe": recipe | {"param_dtype": options["precision"]},
        "method": "lora" if options["lora"] else None,
        "aim": {
            "goal": options["goal"],
            "margin_pct": options["margin"],
            "tokens": options["tokens"],
            "price_per_gpu_hour": options["price"],
            "reliability": reliability,
        },
    }


def _language(asked: "Request") -> Language:
    """Return the language in which a request is answered."""
    from interfaces.service import assess

    return asked.language or assess(asked).language


def _print(out: Output, answer: "PlanAnswer", language: Language) -> None:
    from interfaces.cli.thread_text import show_plan

    show_plan(out, answer, language)
    if answer.calibrated is not None:
        _print_calibrated(out, answer.calibrated)
    if answer.varied is not None:
        from interfaces.cli.whatif import show_what_if

        show_what_if(out, answer.varied)
    if answer.dry_run is not None:
        from interfaces.cli.dryrun import show_dry_run_answer

        show_dry_run_answer(out, answer.dry_run)


def _print_calibrated(out: Output, found: "PlanCalibrated") -> None:
    if found.reserved_gib is None:
        out.progress(f"{found.file}: no measured run of this kind")
        return
    out.progress(f"calibrated by {len(found.used)} measured peak(s): {found.reserved_gib:.2f} GiB reserved")
    if found.tokens_per_s_per_gpu is not None:
        out.progress(f"calibrated speed: {found.tokens_per_s_per_gpu:,.0f} tokens/s per GPU")
    for used in found.used:
        out.progress(f"  {used.source}: measured {used.measured_gib:.2f} GiB, predicted {used.predicted_gib:.2f} GiB")


def _model(model: str | None) -> dict[str, str] | None:
    if model is None:
        return None
    return {"path": model} if Path(model).exists() else {"name": model}


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    """Return what was given: the request's other fields stay unset, so that they are decided."""
    kept: dict[str, Any] = {}
    for name, value in fields.items():
        inner = _without_none(value) if isinstance(value, dict) else value
        if inner not in (None, {}):
            kept[name] = inner
    return kept
