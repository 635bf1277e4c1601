"""`fsdp-agent estimate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contracts.errors import CannotBeKnown, InputError
from contracts.units import count_text
from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, JsonFlag, output
from interfaces.cli.output import Output
from interfaces.cli.sizing_options import GpuOption, GpusOption, MicroBatchOption, ModelOption, SeqLenOption

if TYPE_CHECKING:
    from interfaces.results_sizing import Estimate

_SETTING_HELP = "Any other setting as name=value, such as tp=2 or loss_impl=chunked; may be repeated."


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
    setting: Annotated[list[str] | None, typer.Option("--set", help=_SETTING_HELP)] = None,
    runs: Annotated[Path | None, typer.Option(help="JSON Lines of recorded runs, a prediction for each.")] = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
) -> int:
    """Predict the peak memory of a rank.

    Exit code 1 where it does not fit the GPU. With --runs, one JSON object for each row,
    and a summary as the last line.
    """
    out = output(json, form)
    if runs is not None:
        return _estimate_runs(out, runs)
    if model is None:
        raise InputError("nothing to estimate", hint="give --model with --gpus and --seq-len, or --runs FILE.jsonl")
    _require(("--gpus", gpus), ("--seq-len", seq_len))
    from interfaces.service import estimate as predict

    named = {"ranks": gpus, "seq_len": seq_len, "micro_batch": micro_batch, "param_dtype": precision}
    named |= {"optimizer": optimizer, "ac": activation_checkpointing, "lora_rank": lora}
    given = {name: value for name, value in named.items() if value is not None}
    answer = predict(model, gpu, given | _settings(setting or []))
    if out.as_json:
        out.answer(answer)
    else:
        _print(out, answer)
    return exits.BAD_NEWS if answer.fits is False else exits.ANSWERED


def _require(*inputs: tuple[str, int | None]) -> None:
    for name, value in inputs:
        if value is None:
            raise CannotBeKnown(f"{name} is missing, and no default would be sensible", code="input_missing")


def _settings(words: list[str]) -> dict[str, Any]:
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
    for assumption in answer.assumptions:
        out.progress(f"assumed: {assumption}")
    for reason in answer.unsupported:
        out.progress(f"not expressed: {reason}")
