"""review: what is wrong with the plan, and with the code that was given?"""

import time
from typing import Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage

from contracts.errors import FsdpAgentError
from contracts.finding import Finding
from contracts.need import Need
from contracts.plan import Plan
from contracts.request import Language, Request
from engines.reporting.phrases import phrase
from engines.review.engine import review_paths
from engines.review.plan import review_plan


class Reads(TypedDict, total=False):
    """The request, its Need, and the plan where there is one."""

    asked: dict[str, Any]
    need: dict[str, Any]
    plan: dict[str, Any] | None


class Writes(TypedDict, total=False):
    """The findings, and whether a launch is put forward for approval."""

    findings: list[dict[str, Any]]
    phase: str
    asked_at: float
    error: dict[str, Any] | None
    messages: list[AnyMessage]


def review(state: Reads) -> Writes:
    """Read plan and code; an error in either keeps a launch from being put forward."""
    request = Request.model_validate(state["asked"])
    need = Need.model_validate(state["need"])
    plan = Plan.model_validate(state["plan"]) if state.get("plan") else None
    try:
        findings = _findings(request, plan)
    except FsdpAgentError as error:
        return Writes(phase="failed", error=error.as_json()["error"])
    reviewed = Writes(findings=[found.model_dump(mode="json") for found in findings], phase="done")
    if plan is None or plan.launch is None or (need.intent != "run" and plan.launch.kind != "trials"):
        return reviewed
    if any(found.severity == "error" for found in findings):
        return reviewed | Writes(phase="failed", error=_blocked(findings, need.language))
    launch = plan.launch
    text = phrase(
        "would_try" if launch.launches else "would_run",
        need.language,
        kind=launch.kind,
        count=len(launch.launches),
        ranks=launch.resources.nodes * launch.resources.ranks_per_node,
        device=launch.resources.device,
        hash=launch.launch_hash,
    )
    return reviewed | Writes(phase="awaiting_approval", asked_at=time.time(), messages=[AIMessage(text)])


def _findings(request: Request, plan: Plan | None) -> tuple[Finding, ...]:
    paths = (*_script_files(request, plan), *(request.paths if plan is None else ()))
    found = review_paths(paths, request.torch).findings if paths else ()
    return (*(review_plan(plan, request) if plan is not None else ()), *found)


def _script_files(request: Request, plan: Plan | None) -> tuple[str, ...]:
    """Return the user's own code: all that is approved with a launch of it, else the script."""
    if plan is not None and plan.launch is not None and plan.launch.kind == "script":
        return tuple(entry.path for entry in plan.launch.inputs if entry.role in ("script", "patched"))
    return (request.script.path,) if request.script and request.script.path else ()


def _blocked(findings: tuple[Finding, ...], language: Language) -> dict[str, Any]:
    errors = [found for found in findings if found.severity == "error"]
    first = errors[0]
    told = {"errors": len(errors), "rule": first.rule, "place": f"{first.file}:{first.line}", "message": first.message}
    message = phrase("review_errors" if len(errors) == 1 else "review_errors_many", language, **told)
    return {"code": "review_errors", "message": message, "hint": first.fix}
