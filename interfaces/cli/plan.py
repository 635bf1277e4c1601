"""`fsdp-agent plan`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contracts.errors import InputError
from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, JsonFlag, output
from interfaces.cli.output import Output
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
    from interfaces.results_plan import PlanAnswer

_WRITE_HELP = (
    "Folder for the plan as FSDP2 Python, accelerate, Trainer, torchtitan, torchtune, torchrun and Slurm files."
)
_GOAL_HELP = "fastest (default), longest_sequence, fewest_gpus or largest_micro_batch."


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(plan)


def plan(
    model: ModelOption = None,
    gpus: GpusOption = None,
    gpu: GpuOption = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Machines.")] = None,
    seq_len: SeqLenOption = None,
    micro_batch: MicroBatchOption = None,
    precision: Annotated[str | None, typer.Option(help="Compute dtype: bf16 or fp32.")] = None,
    activation_checkpointing: Annotated[str | None, typer.Option(help="none or full.")] = None,
    network: Annotated[
        str | None, typer.Option(help="Link between machines: InfiniBand, RoCE 400, '800 Gb/s' ...")
    ] = None,
    goal: Annotated[str | None, typer.Option(help=_GOAL_HELP)] = None,
    margin: Annotated[float | None, typer.Option(min=0, max=50, help="Percent of the peak to keep free.")] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="Tokens to train on in all, for time and cost.")] = None,
    price: Annotated[float | None, typer.Option(min=0, help="Price of one GPU for an hour.")] = None,
    gpu_hours_per_failure: FailuresOption = None,
    storage: StorageOption = None,
    restart_minutes: RestartOption = None,
    lora: Annotated[bool, typer.Option("--lora", help="Train LoRA adapters, not all weights.")] = False,
    write: Annotated[Path | None, typer.Option(help=_WRITE_HELP)] = None,
    request: Annotated[Path | None, typer.Option(help="Request file, in place of the options above.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Choose a configuration and say why.

    Nothing is started: `run` does that. For several machines it also tells the mesh, the expected
    scaling, and how often to save under failures. Exit code 1 where it does
    not fit or FSDP is not needed, 3 where an input without a sensible default is missing.
    """
    from interfaces.service import make_request, read_request_file
    from interfaces.service import plan as choose

    fields: dict[str, Any] = {
        "model": _model(model),
        "hardware": {"gpus": gpus, "gpu_type": gpu, "nodes": nodes, "network": network},
        "recipe": {"seq_len": seq_len, "micro_batch": micro_batch, "param_dtype": precision},
        "method": "lora" if lora else None,
        "aim": {"goal": goal, "margin_pct": margin, "tokens": tokens, "price_per_gpu_hour": price},
    }
    fields["aim"]["reliability"] = {
        "gpu_hours_per_failure": gpu_hours_per_failure,
        "storage_gb_per_s": storage,
        "restart_minutes": restart_minutes,
    }
    fields["recipe"]["activation_checkpointing"] = activation_checkpointing
    given = _without_none(fields)
    if (request is not None) == bool(given):
        raise InputError("give either --request FILE, or --model with --gpus and --gpu")
    out = output(json, form)
    asked = read_request_file(request) if request is not None else make_request(given | {"intent": "plan"})
    answer = choose(asked, write)
    if out.as_json:
        out.answer(answer)
    else:
        _print(out, answer)
    return exits.ANSWERED if answer.verdict == "use_fsdp" and answer.fits is not False else exits.BAD_NEWS


def _print(out: Output, answer: "PlanAnswer") -> None:
    from interfaces.cli.thread_text import show_plan

    show_plan(out, answer)


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
