"""The dry runs of a study: real `fully_shard` on tensors without memory, approved by policy, waited for."""

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from contracts.approval import Approval
from contracts.errors import FsdpAgentError, RunnerError
from contracts.regular import read_whole
from contracts.request import Request
from contracts.run import TERMINAL_STATES, RunRecord
from contracts.settings import Settings
from contracts.study import Figure, Part
from engines.approval.judge import seal_approval
from engines.approval.policy import pre_approved
from engines.sizing.dryrun import replay_trace
from engines.sizing.dryrun_figures import figures_of
from engines.sizing.dryrun_request import dryrun_settings, inexpressible
from engines.sizing.dryrun_trace import read_trace
from engines.sizing.setup import TrainingSetup
from engines.study.cells import Cell
from engines.study.facts import Facts
from engines.study.texts import text
from knowledge.shapes import find_shape
from nodes.setting import approver_key, home_of, settings_of, tell, thread_of
from nodes.study_job import Job
from runners import Home, LocalRunner, prepare_dryrun

MOST = 2
"""Dry runs of one study: each takes half a minute and more."""

ERROR_PCT = 5.0
"""Stated error of a dry run's reserved memory: of nine published runs the furthest is 4.7 % off."""

LIMIT_S = 300.0
"""Seconds that one may take."""

_POLL_S = 0.2
_MAX_CONFIG_BYTES = 4 << 20


def wanted(cells: list[Cell]) -> list[Cell]:
    """Return what is worth a dry run: where the limit is close, then the first that fits."""
    close = [cell for cell in cells if cell.close and not cell.problem]
    fitting = [cell for cell in cells if cell.fits and cell.condition == 0]
    if not close:
        return fitting[:1]
    return [*close, *(cell for cell in fitting if cell not in close)][:MOST]


def dry_run(
    cell: Cell, job: Job, facts: Facts, place: int, request: Request, runtime: Runtime[Settings]
) -> tuple[Cell, Part]:
    """Run one configuration dry; what cannot be is told in its part, and nothing else is lost.

    Args:
        cell: Its estimate.
        job: The job with the configuration's changes.
        facts: For the names.
        place: Number of the dry run, from 1.
        request: What was asked; its model folder may have the configuration.
        runtime: Home folder and interpreter.
    """
    asks = text("asks_dryrun", facts.language, name=facts.name(cell), at=facts.at(cell.condition))
    part = Part(
        id=f"d{place}",
        kind="dryrun",
        asks=asks,
        option=facts.name(cell),
        condition=facts.condition(cell.condition),
        settings=cell.settings,
        status="skipped",
    )
    setup = job.setup()
    config = _model_config(request, job)
    why = _reason_against(setup, config, runtime, facts)
    if why:
        return cell, part.model_copy(update={"result": why})
    assert config is not None
    try:
        tell(runtime, "dry_run", f"{asks} (1-2 min)")
        record, gib = _run(job, setup, config, runtime)
    except (FsdpAgentError, OSError) as error:
        return cell, part.model_copy(update={"status": "failed", "result": str(error)})
    figure = Figure(name="reserved", value=round(gib, 4), unit="GiB", error_pct=ERROR_PCT)
    result = f"{facts.gib(gib)} GiB ± {facts.number(ERROR_PCT, 0)} %"
    done = replace(cell, dry_gib=gib, dry_error_pct=ERROR_PCT, more_parts=(*cell.more_parts, part.id))
    update: dict[str, Any] = {"status": "answered", "result": result, "figures": (figure,), "fits": done.fits}
    return done, part.model_copy(update=update | {"source": record.run_id})


def _reason_against(
    setup: TrainingSetup, config: Mapping[str, Any] | None, runtime: Runtime[Settings], facts: Facts
) -> str:
    interpreter = settings_of(runtime).interpreter
    if interpreter is not None and interpreter != sys.executable:
        return text("dry_other_interpreter", facts.language, interpreter=interpreter)
    if find_spec("torch") is None or find_spec("transformers") is None:
        return text("dry_no_torch", facts.language)
    if config is None:
        return text("dry_no_config", facts.language)
    return "; ".join(inexpressible(setup))


def _model_config(request: Request, job: Job) -> dict[str, Any] | None:
    """Return the fields of the model's config.json; None where there are none."""
    model = request.model
    if model is not None and model.path is not None:
        try:
            found: dict[str, Any] = json.loads(read_whole(Path(model.path) / "config.json", _MAX_CONFIG_BYTES))
        except (OSError, ValueError):
            return None
        return found
    shape = find_shape(job.shape.name)
    return dict(shape.config) if shape else None


def _run(job: Job, setup: TrainingSetup, config: dict[str, Any], runtime: Runtime[Settings]) -> tuple[RunRecord, float]:
    home = home_of(runtime)
    # all layers: a few of them, extrapolated, were 11 % off on a deep model, and the time is much the same
    asked = dryrun_settings(setup, job.shape) | {"layers": []}
    launch = prepare_dryrun(home, asked, model_config=config).launch
    if not pre_approved(launch, sys.executable):
        raise RunnerError("policy does not approve this dry run", code="dryrun_failed")
    approval = Approval(
        launch_hash=launch.launch_hash,
        decision="approve",
        approver="policy",
        decided_at=datetime.now(UTC).isoformat(),
        via="policy",
    )
    sealed = seal_approval(approval, approver_key(runtime))
    runner = LocalRunner(home)
    # a node that runs again finds the run that it began
    run_id = runner.submit(launch, sealed, f"study:{thread_of(runtime)}:{launch.launch_hash}").run_id
    record = _ended(runner, run_id)
    if record.state != "done":
        raise RunnerError(record.reason or f"the dry run is {record.state}", code="dryrun_failed")
    return record, _reserved_gib(home, record, setup)


def _ended(runner: LocalRunner, run_id: str) -> RunRecord:
    deadline = time.monotonic() + LIMIT_S
    while (record := runner.status(run_id)).state not in TERMINAL_STATES:
        if time.monotonic() > deadline:
            runner.cancel(run_id)
            deadline = float("inf")
        time.sleep(_POLL_S)
    return record


def _reserved_gib(home: Home, record: RunRecord, setup: TrainingSetup) -> float:
    listed = record.result.get("traces")
    names = [str(entry.get("file")) for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    if not names or any(Path(name).name != name for name in names):
        raise RunnerError(f"{record.run_id} left a result that is none of a dry run", code="dryrun_failed")
    trace = read_trace(home.runs / record.run_id / names[-1])
    return figures_of(replay_trace(trace, expandable=setup.expandable_segments)).reserved
