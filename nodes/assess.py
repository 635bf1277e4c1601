"""assess: what is wanted, and is this a case for FSDP at all?"""

from pathlib import Path
from typing import Any, TypedDict

from langchain_core.messages import AnyMessage

from contracts.errors import CannotBeKnown, FsdpAgentError, RequestInvalid
from contracts.need import Need
from contracts.request import ModelRef, Request
from engines.intake.assess import assess_request
from engines.intake.request_file import parse_request
from engines.sizing.hf_config import named_shape, read_folder
from engines.study.decompose import decompose
from engines.study.detect import takes_study
from nodes.conversation import last_words
from nodes.second_reading import compare_if_configured
from nodes.study_job import known_of


class Reads(TypedDict, total=False):
    """A structured request, a chat message, and what was asked before."""

    request: dict[str, Any] | None
    messages: list[AnyMessage]
    asked: dict[str, Any] | None
    phase: str


class Writes(TypedDict, total=False):
    """The request as understood, its Need, and a clean slate for all that follows."""

    request: None
    asked: dict[str, Any] | None
    need: dict[str, Any] | None
    phase: str
    error: dict[str, Any] | None
    plan: None
    trials: None
    findings: list[dict[str, Any]]
    diagnosis: None
    answer: None
    study: None
    launch_hash: None
    approval: None
    asked_at: None
    run_id: None
    run: None
    report: None
    amendment: None
    amendments: list[dict[str, Any]]
    rounds: int


_AT_WORK = {"ask": "answering", "diagnose": "answering", "review": "reviewing"}


def assess(state: Reads) -> Writes:
    """Read the newest request into a Request and judge it; forget the one before."""
    fresh = Writes(
        request=None, asked=None, need=None, error=None, plan=None, trials=None, findings=[], diagnosis=None,
        answer=None, study=None, launch_hash=None, approval=None, asked_at=None, run_id=None, run=None, report=None,
        amendment=None, amendments=[], rounds=0,
    )  # fmt: skip
    try:
        request = _newest_request(state)
        asked = request.model_dump(mode="json", exclude_unset=True)
        fresh["asked"] = asked
        need = compare_if_configured(request, assess_request(_as_question(request), _params(request)))
        if _takes_study(request, need):
            fresh["asked"] = asked | {"study": True}
            need = need.model_copy(update={"intent": "ask"})
        unknown = _unknown_model(request, need)
    except FsdpAgentError as error:
        return fresh | Writes(phase="failed", error=error.as_json()["error"])
    return fresh | Writes(
        need=need.model_dump(mode="json"), phase="needs_input" if unknown else _phase(request, need), error=unknown
    )


def _newest_request(state: Reads) -> Request:
    given = state.get("request")
    said = last_words(state)
    if given is not None:
        request = parse_request(given, base=Path.cwd())
        return request if request.text or not said else _with_text(request, said)
    if not said:
        raise RequestInvalid("nothing was asked: give `request`, or a chat message", code="nothing_asked")
    before = state.get("asked")
    if state.get("phase") == "needs_input" and before:
        # The message answers our questions: it adds to what was asked.
        request = parse_request(before)
        return _with_text(request, f"{request.text}\n{said}" if request.text else said)
    return parse_request({"text": said})


def _with_text(request: Request, text: str) -> Request:
    return parse_request(request.model_dump(mode="json", exclude_unset=True) | {"text": text})


def _params(request: Request) -> int | None:
    """Parameters of a model folder that the request names; the gate need not guess them."""
    if request.model is None or request.model.path is None:
        return None
    return read_folder(Path(request.model.path)).params


def _as_question(request: Request) -> Request:
    """Return a study's request as the question that it is, with the model that its text names.

    Who wants a study need not say "training": what is asked about a named model is in scope.
    """
    if not request.study:
        return request
    named = None if request.model is not None else decompose(request.text).fixed.get("@model")
    model = request.model if named is None else ModelRef(name=named)
    return request.model_copy(update={"model": model, "intent": request.intent or "ask"})


def _takes_study(request: Request, need: Need) -> bool:
    """Tell whether a request is a question that weighs configurations, as it says itself or as it reads."""
    if request.study is not None or need.verdict != "use_fsdp" or need.intent not in ("ask", "plan"):
        return bool(request.study) and need.verdict == "use_fsdp"
    if request.paths or request.script is not None or request.intent not in (None, "ask"):
        return False
    return takes_study(request.text, known_of(request, need.extracted))


def _unknown_model(request: Request, need: Need) -> dict[str, Any] | None:
    """Return what a request lacks that names a model in a field of its own which nothing here knows the size of."""
    model = request.model
    if model is None or not model.name or model.path or model.params_b or request.script is not None:
        return None
    if need.intent not in ("plan", "run") or all(reason.code != "insufficient_information" for reason in need.reasons):
        return None
    try:
        named_shape(model.name)
    except CannotBeKnown as error:
        told: dict[str, Any] = error.as_json()["error"]
        return told
    return None


def _phase(request: Request, need: Need) -> str:
    cannot_start = any(gap.assumed is None for gap in need.missing)
    if cannot_start and request.intent == "run" and need.verdict != "out_of_scope":
        return "needs_input"  # a run was asked for by name: what it lacks comes before whether it is wise
    if need.verdict != "use_fsdp":
        return "not_advised"
    # A question or a failure is answered with what there is; a plan without its model is nothing.
    if cannot_start and need.intent in ("plan", "run", "review"):
        return "needs_input"
    return _AT_WORK.get(need.intent, "planning")
