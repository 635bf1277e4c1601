"""Operations that are answered on the spot. Nothing is started, nothing is written but what is taken away again."""

import io
import os
from pathlib import Path
from typing import Any

from contracts.errors import InputError
from interfaces.doors.desk import Desk
from interfaces.doors.inputs import (
    AskInput,
    AssessInput,
    DiagnoseInput,
    EstimateInput,
    PlanInput,
    ReviewInput,
)
from interfaces.doors.reading import laid_out, names_restored
from interfaces.doors.small import fit

Result = dict[str, Any]
"""Plain JSON data."""


def assess(_desk: Desk, given: AssessInput) -> Result:
    """Judge whether a request is a case for FSDP."""
    from interfaces import service

    need = service.assess(service.make_request({"text": given.text}))
    return fit(need.model_dump(mode="json"), given.part, given.offset)


def plan(desk: Desk, given: PlanInput) -> Result:
    """Choose a configuration and say why; nothing is written."""
    from interfaces import service

    fields = desk.roots.confine(_plan_request(desk, given))
    answer = service.plan(service.make_request(fields)).model_dump(mode="json")
    return fit(answer, given.part, given.offset)


def estimate(desk: Desk, given: EstimateInput) -> Result:
    """Predict the peak memory of one rank."""
    from interfaces import service

    answer = service.estimate(_model(desk, given.model), given.gpu, given.settings)
    return fit(answer.model_dump(mode="json"), given.part, given.offset)


def review(desk: Desk, given: ReviewInput) -> Result:
    """Find the FSDP mistakes in code; nothing of it is run."""
    from interfaces import service

    if bool(given.files) == bool(given.paths):
        raise InputError("give either files (content by name) or paths")
    with laid_out(given.files) as folder:
        paths = tuple(desk.roots.resolve(path) for path in given.paths) or tuple(
            str(folder / name) for name in given.files
        )
        found = names_restored(service.review(paths, given.torch).model_dump(mode="json"), folder)
    return fit(found, given.part, given.offset)


def diagnose(desk: Desk, given: DiagnoseInput) -> Result:
    """Find the root cause in what is left of a failed job."""
    from interfaces.service_diagnose import STDIN
    from interfaces.service_diagnose import diagnose as judge

    sources = [bool(given.text), bool(given.files), bool(given.paths), given.run_id is not None]
    if sum(sources) != 1:
        raise InputError("give exactly one of text, files, paths and run_id")
    text = io.BytesIO(given.text.encode("utf-8", "replace"))
    with laid_out(given.files) as folder:
        if given.text:
            paths: tuple[str, ...] = (STDIN,)
        elif given.run_id is not None:
            paths = (_run_folder(desk, given.run_id),)
        else:
            paths = tuple(desk.roots.resolve(path) for path in given.paths) or (str(folder),)
        found = names_restored(judge(paths, text, given.torch).model_dump(mode="json"), folder)
    return fit(found, given.part, given.offset)


def ask(desk: Desk, given: AskInput) -> Result:
    """Answer a question about FSDP from cited cards, or by a study of configurations."""
    if given.study:
        from interfaces.doors.jobs import stand
        from interfaces.doors.studies import study

        found = study(desk, given)
        return found if isinstance(found, dict) else stand(desk.settings, found, given.part, given.offset)
    if given.request or given.key:
        raise InputError("request and key are of a study", hint="give study: true, or leave them out")
    from interfaces import service

    answer = service.ask(given.question, given.torch)
    return fit(answer.model_dump(mode="json"), given.part, given.offset)


def _plan_request(desk: Desk, given: PlanInput) -> dict[str, Any]:
    fields: dict[str, Any] = {"intent": "plan"}
    if given.text:
        fields["text"] = given.text
    if given.model is not None:
        model = _model(desk, given.model)
        fields["model"] = {"path": model} if Path(model).is_absolute() else {"name": model}
    hardware = {"gpus": given.gpus, "gpu_type": given.gpu, "nodes": given.nodes}
    recipe = {"seq_len": given.seq_len, "micro_batch": given.micro_batch}
    for name, group in (("hardware", hardware), ("recipe", recipe)):
        kept = {key: value for key, value in group.items() if value is not None}
        if kept:
            fields[name] = kept
    if given.method is not None:
        fields["method"] = given.method
    return fields


def _model(desk: Desk, model: str) -> str:
    """A model is a name, or a folder below the roots; a name that happens to be a path is a path."""
    if model.startswith(("/", "~", ".")) or os.path.lexists(model):
        return desk.roots.folder(model)
    return model


def _run_folder(desk: Desk, run_id: str) -> str:
    from interfaces.service_jobs import show_run, thread_of

    record = show_run(desk.settings, run_id)
    desk.owners.require_run(desk.caller, run_id, thread_of(record))
    return record.run_dir
