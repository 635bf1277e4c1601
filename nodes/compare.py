"""compare: what was measured beside what was predicted, and the plan of the configuration that won."""

from typing import Any, TypedDict

from langgraph.runtime import Runtime

from contracts.errors import FsdpAgentError
from contracts.need import Need
from contracts.plan import Decision, Plan
from contracts.request import Request
from contracts.settings import Settings
from contracts.trials import Trials
from engines.intake.completed import complete_request
from engines.reporting.phrases import phrase
from engines.sizing.choose import choose_plan
from engines.sizing.kept import kept_of
from engines.sizing.measured import judged
from engines.sizing.texts import say
from nodes.planned import request_of_winner, shape_of_request, with_launch
from nodes.setting import home_of, tell
from runners import read_trials


class Reads(TypedDict, total=False):
    """The request, the plan, what was tried, and the run that tried it."""

    asked: dict[str, Any]
    need: dict[str, Any]
    plan: dict[str, Any]
    trials: dict[str, Any]
    run_id: str
    study: dict[str, Any] | None
    phase: str
    error: dict[str, Any] | None


class Writes(TypedDict, total=False):
    """The results, the winner, and the winner's plan."""

    trials: dict[str, Any]
    plan: dict[str, Any]
    phase: str
    launch_hash: str
    error: dict[str, Any] | None


def compare(state: Reads, runtime: Runtime[Settings]) -> Writes:
    """Judge what was measured; a run that was cut short counts as far as it came."""
    tell(runtime, "comparing", phrase("doing_compare", state["need"]["language"]))
    before = Plan.model_validate(state["plan"])
    try:
        need = Need.model_validate(state["need"])
        request = complete_request(Request.model_validate(state["asked"]), need)
        results = read_trials(home_of(runtime), state["run_id"])
        capacity = before.memory.capacity_gib if before.memory else None
        tried = judged(Trials.model_validate(state["trials"]).trials, results, request.aim, capacity, need.language)
        if request.store_calibration:
            tried = tried.model_copy(
                update={"kept": _keep(tried, request, before.world_size, state["run_id"], runtime)}
            )
        told = Writes(trials=tried.model_dump(mode="json"))
        if state.get("study"):
            return told | Writes(phase="answering", error=None)  # what follows from it is the study's to say
        if tried.winner is None:
            error = state.get("error") or {"code": "trials_failed", "message": tried.because, "hint": ""}
            return told | Writes(phase="failed", error=error)
        made = _plan_of(request_of_winner(request, tried), need, before, tried, runtime)
    except FsdpAgentError as error:
        return Writes(phase="failed", error=error.as_json()["error"])
    return told | _planned(made, need, state)


def _keep(tried: Trials, request: Request, ranks: int, run_id: str, runtime: Runtime[Settings]) -> tuple[str, ...]:
    """Add what was measured to the files of the home folder; return what is said of it."""
    kept = kept_of(tried, request, shape_of_request(request), ranks, run_id)
    folder, language = home_of(runtime).calibrations, request.language or "en"
    said = list(kept.said)
    for name, records in kept.files.items():
        path = folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            # a thread that looks again at the same run has kept it already
            lines = [line for line in (record.line() for record in records) if line not in before]
            with open(path, "a", encoding="utf-8") as stream:
                stream.write("".join(f"{line}\n" for line in lines))
        except OSError as error:
            said.append(say("unwritable", language, path=path, why=error.strerror))
        else:
            said.append(say("kept_in", language, count=len(records), path=path))
    return tuple(said)


def _planned(made: Plan, need: Need, state: Reads) -> Writes:
    """Return the winner's plan; where a run was asked for, it is put forward next."""
    kept = Writes(plan=made.model_dump(mode="json"))
    if need.intent == "run" and made.launch is not None and state["phase"] == "done":
        return kept | Writes(launch_hash=made.launch.launch_hash, phase="reviewing", error=None)
    return kept


def _plan_of(request: Request, need: Need, before: Plan, tried: Trials, runtime: Runtime[Settings]) -> Plan:
    """Return the plan of the winner, with the launch of its training where there is data."""
    made = choose_plan(request, need, shape_of_request(request))
    because = Decision(choice=say("trials_won", need.language, label=tried.winner), because=tried.because)
    made = made.model_copy(update={"decisions": (because, *made.decisions), "ranked": before.ranked})
    return made if request.data is None else with_launch(made, request, runtime)
