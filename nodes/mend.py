"""mend: what is changed after a run that failed, and from where it goes on; or why a person has to decide."""

import contextlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime

from contracts.amendment import Amendment
from contracts.diagnosis import Diagnosis
from contracts.errors import FsdpAgentError
from contracts.finding import Finding
from contracts.launch import LaunchRequest
from contracts.plan import Plan
from contracts.request import Request
from contracts.run import RunRecord
from contracts.settings import Settings
from engines.mending.amended import amended_request
from engines.mending.choose import handed_back, next_amendment
from engines.mending.rounds import judged
from engines.mending.situation import Repaired, Saved, Situation
from engines.reporting.phrases import phrase
from engines.review.edits import EditConflict, apply_edits
from nodes.setting import home_of, tell
from runners import Backends, earlier_whole, script_texts


class Reads(TypedDict, total=False):
    """The run that failed, why it did, how it was launched, and the rounds before."""

    asked: dict[str, Any]
    need: dict[str, Any]
    plan: dict[str, Any]
    findings: list[dict[str, Any]]
    run: dict[str, Any]
    diagnosis: dict[str, Any]
    amendments: list[dict[str, Any]]
    error: dict[str, Any] | None


class Writes(TypedDict, total=False):
    """The change that is planned next, and what came of the rounds before."""

    amendment: dict[str, Any] | None
    amendments: list[dict[str, Any]]
    phase: str
    error: dict[str, Any] | None
    messages: list[AnyMessage]


def mend(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Look for a change whose preconditions hold; where there is none, say what a person has to do."""
    run, diagnosis = RunRecord.model_validate(state["run"]), Diagnosis.model_validate(state["diagnosis"])
    before = judged(_rounds(state), run, diagnosis)
    plan = Plan.model_validate(state["plan"])
    assert plan.launch is not None, "what ran was launched"
    tell(runtime, "mending", phrase("doing_mend", state["need"]["language"]))
    request = amended_request(Request.model_validate(state["asked"]), None, before)
    own, ran = script_texts(plan.launch, request.script)
    if not _as_left(own, ran, before):
        own, ran = {}, {}  # the user changes the same files: nobody's lines are put over another's
    situation = _situation(state, request, plan, ran, Backends(home_of(runtime)))
    made = next_amendment(diagnosis, situation, own, before, run)
    if made is None:
        told = (state.get("error") or {}) | {"hint": handed_back(diagnosis, len(before), _unchanged(run))}
        return Writes(amendment=None, amendments=_json(before), phase="failed", error=told)
    words = {"run_id": run.run_id, "cause": made.cause, "round": made.round, "why": made.why}
    return Writes(
        amendment=made.model_dump(mode="json"),
        amendments=_json((*before, made)),
        phase="planning",
        messages=[AIMessage(phrase("mended", state["need"]["language"], **words))],
    )


def _unchanged(run: RunRecord) -> str:
    """Return the command by which a training goes on as it is, for what passes by itself."""
    return f"fsdp-agent jobs resume {run.run_id}" if run.kind == "train" else ""


def _rounds(state: Reads) -> tuple[Amendment, ...]:
    return tuple(Amendment.model_validate(entry) for entry in state.get("amendments") or ())


def _json(rounds: tuple[Amendment, ...]) -> list[dict[str, Any]]:
    return [entry.model_dump(mode="json") for entry in rounds]


def _as_left(own: dict[str, str], ran: dict[str, str], before: tuple[Amendment, ...]) -> bool:
    """Tell whether the user's own files are still those that the changes of earlier rounds were made of."""
    edits = before[-1].edits if before else {}
    try:
        return all(apply_edits(text, edits.get(path, ())) == ran[path] for path, text in own.items())
    except EditConflict:
        return False


def _situation(state: Reads, request: Request, plan: Plan, ran: dict[str, str], runner: Backends) -> Situation:
    launch = plan.launch
    assert launch is not None
    return Situation(
        request=request,
        recipe=plan.recipe,
        language=state["need"]["language"],
        ranks=launch.resources.nodes * launch.resources.ranks_per_node,
        sources=ran,
        log=_log(state, runner),
        trouble_step=_trouble_step(state["run"]["run_id"], runner),
        weights_bytes=sum(entry.size_bytes for entry in launch.inputs if entry.role == "model"),
        saved=_saved(state["run"], runner),
        earlier_input=_earlier(request, launch),
        repaired=tuple(_repaired(state, launch, ran)),
    )


def _log(state: Reads, runner: Backends) -> str:
    """Return what was seen of the failure: the reason, the proving lines, and the ends of the logs."""
    diagnosis = Diagnosis.model_validate(state["diagnosis"])
    lines = [state["run"].get("reason") or "", diagnosis.first_failure or ""]
    lines += [entry.text for cause in diagnosis.causes for entry in cause.evidence]
    with contextlib.suppress(FsdpAgentError):  # a folder that was taken away: the record is all there is
        lines.append(runner.logs(state["run"]["run_id"]))
    return "\n".join(lines).lower()


def _trouble_step(run_id: str, runner: Backends) -> int | None:
    """Return the first step whose loss or gradient was not finite."""
    cursor = 0
    with contextlib.suppress(FsdpAgentError):
        while (page := runner.events(run_id, cursor)).events:
            for event in page.events:
                bad = event.kind == "warning" and event.data.get("code") == "non_finite"
                bad = bad or (event.kind == "step" and event.loss is not None and not math.isfinite(event.loss))
                if bad and event.step is not None:
                    return event.step
            cursor = page.cursor
    return None


def _saved(run: Mapping[str, Any], runner: Backends) -> tuple[Saved, ...]:
    """Return the checkpoints of a run of the built-in job, each file of them read again."""
    if run["kind"] != "train":
        return ()
    folder = Path(run["run_dir"]) / "ckpt"
    try:
        found = runner.checkpoints(run["run_id"], verify=True)
    except FsdpAgentError:
        return ()
    return tuple(Saved(str(folder / one.name), one.step) for one in found if one.verdict == "verified")


def _earlier(request: Request, launch: LaunchRequest) -> dict[str, str]:
    """Return for arguments that name a checkpoint the newest whole one before it."""
    found = {}
    for argument in request.script.args if request.script else ():
        folder = Path(launch.workdir) / argument
        if "\0" not in argument and folder.is_dir() and (whole := earlier_whole(folder)) is not None:
            found[argument] = argument[: len(argument.rstrip("/")) - len(folder.name)] + whole.name
    return found


def _repaired(state: Reads, launch: LaunchRequest, ran: dict[str, str]) -> list[Repaired]:
    """Return the files of the script after the edits of each finding that has some."""
    own = dict(zip((e.path for e in launch.inputs if e.role in ("script", "patched")), ran, strict=False))
    found = []
    for finding in (Finding.model_validate(entry) for entry in state.get("findings") or ()):
        path = own.get(finding.file)
        if finding.edits and path is not None:
            try:
                text = apply_edits(ran[path], finding.edits)
            except EditConflict:
                continue
            found.append(Repaired(finding.cards, finding.message, path, text))
    return found
