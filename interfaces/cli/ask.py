"""`fsdp-agent ask`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contracts.errors import InputError
from interfaces.cli import exits
from interfaces.cli.options import Form, FormatOption, HomeOption, InterpreterOption, JsonFlag, output
from interfaces.cli.sizing_options import GpuOption, GpusOption, MicroBatchOption, ModelOption, SeqLenOption

if TYPE_CHECKING:
    from interfaces.cli.output import Output

_STUDY_HELP = (
    "Take the question apart, estimate the configurations that it weighs, and conclude; trials are run where you "
    "ask for a measurement, give a model folder, and approve them."
)
_FILE_HELP = "With --study: request file with model, data and machine, in place of the options."


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ask)


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question about FSDP.")],
    torch: Annotated[str | None, typer.Option(help="Version of torch that the answer is to speak of.")] = None,
    study: Annotated[bool, typer.Option("--study", help=_STUDY_HELP)] = False,
    model: ModelOption = None,
    gpus: GpusOption = None,
    gpu: GpuOption = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Machines.")] = None,
    network: Annotated[str | None, typer.Option(help="Link between machines, such as 'RoCE 400'.")] = None,
    seq_len: SeqLenOption = None,
    micro_batch: MicroBatchOption = None,
    device: Annotated[str | None, typer.Option(help="cuda (default) or cpu, for trials on CPU ranks.")] = None,
    data: Annotated[Path | None, typer.Option(help="JSONL file for trials; made-up text where absent.")] = None,
    request: Annotated[Path | None, typer.Option(help=_FILE_HELP)] = None,
    dry_run: Annotated[
        bool, typer.Option(help="With --study: run what is close to the limit, or chosen, dry; 1-2 min each.")
    ] = True,
    thread: Annotated[str | None, typer.Option(help="Id to give the study's thread, t- and 12 hex digits.")] = None,
    follow: Annotated[bool | None, typer.Option(help="Watch approved trials to their end.")] = None,
    interpreter: InterpreterOption = None,
    json: JsonFlag = False,
    form: FormatOption = Form.text,
    home: HomeOption = None,
) -> int:
    """Answer a question with citations, or with --study by estimates, dry runs and approved trials.

    Exit code 3 where the knowledge base does not cover it, or where a study lacks an input; 4
    where the trials of a study wait for approval.
    """
    out = output(json, form)
    on_cpu = device == "cpu"
    hardware = {
        "gpus": None if on_cpu else gpus,
        "ranks": gpus if on_cpu else None,
        "gpu_type": gpu,
        "nodes": nodes,
        "network": network,
        "device": device,
    }
    fields: dict[str, Any] = {
        "model": _model(model),
        "data": {"train": str(data)} if data else None,
        "hardware": _given(hardware),
        "recipe": _given({"seq_len": seq_len, "micro_batch": micro_batch}),
        "torch": torch,
        "dry_runs": None if dry_run else False,
    }
    if study:
        from interfaces.cli.studying import request_of
        from interfaces.cli.studying import study as make

        return make(out, request_of(question, request, _given(fields)), home, interpreter, follow, thread)
    if set(_given(fields)) - {"torch"} or any((request, thread, interpreter, home)) or follow is not None:
        raise InputError("options of model, machine and thread go with --study", hint="add --study, or leave them out")
    return _look_up(out, question, torch)


def _look_up(out: "Output", question: str, torch: str | None) -> int:
    from interfaces.service import ask as answer_to

    answer = answer_to(question, torch)
    if out.as_json:
        out.answer(answer)
    else:
        out.progress(answer.answer)
        for cited in answer.citations:
            out.progress(f"  [{cited.card}] {cited.source} ({cited.evidence})")
        if answer.notice:
            out.progress(f"({answer.notice})")
        if answer.nearest and not answer.covered:
            out.progress(f"nearest: {', '.join(answer.nearest)}")
        if _weighs(question):
            out.progress("this weighs configurations: `fsdp-agent ask --study` estimates and compares them")
    return exits.ANSWERED if answer.covered else exits.CANNOT_BE_KNOWN


def _weighs(question: str) -> bool:
    from engines.study.detect import takes_study

    return takes_study(question)


def _model(model: str | None) -> dict[str, str] | None:
    if model is None:
        return None
    return {"path": model} if Path(model).exists() else {"name": model}


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, {})}
