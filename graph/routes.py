"""Routes: which node comes next. Pure: a state in, a name out."""

from typing import Literal

from graph.state import State
from nodes.conversation import has_new_input

_MENDED_KINDS = ("train", "script")
"""Kinds of jobs whose failure may be answered by a changed launch."""


def route_start(state: State) -> Literal["assess", "approve", "execute", "watch"]:
    """New input on a thread that waits must not orphan what it waits for.

    Input restarts a thread here and drops its pending interrupt. So a thread that waits
    for a decision or a run goes back to waiting, and answers from there.
    """
    phase = state.get("phase")
    if phase == "awaiting_approval":
        return "approve"
    if phase == "running":
        return "watch" if state.get("run_id") else "execute"
    if state.get("run_id") and not has_new_input(state):
        return "watch"  # asked nothing new: look again, the run may have been resumed
    return "assess"


def route_assess(state: State) -> Literal["research", "plan", "diagnose", "review", "report"]:
    """By intent, where the need gate lets it through."""
    need = state.get("need")
    if state["phase"] in ("failed", "needs_input", "not_advised") or not need:
        return "report"
    match need["intent"]:
        case "ask":
            return "research"
        case "diagnose":
            return "diagnose"
        case "review":
            return "review"
        case _:
            return "plan"


def route_research(state: State) -> Literal["trial", "report"]:
    """A study's trials are put forward before it is told; what needs none is told."""
    return "trial" if state["phase"] == "planning" else "report"


def route_plan(state: State) -> Literal["trial", "review", "report"]:
    """A plan is tried first where that was asked for, else reviewed; a failure is told."""
    if state["phase"] != "reviewing":
        return "report"
    wanted = (state.get("asked") or {}).get("trials")
    return "trial" if wanted and not state.get("trials") else "review"


def route_trial(state: State) -> Literal["review", "research", "report"]:
    """What is to be tried is reviewed like any launch; a study is told without its trials, another failure as it is."""
    if state["phase"] == "reviewing":
        return "review"
    return "research" if state.get("study") else "report"


def route_review(state: State) -> Literal["approve", "report"]:
    """Only what was put forward is asked about."""
    return "approve" if state["phase"] == "awaiting_approval" else "report"


def route_approve(state: State) -> Literal["approve", "execute", "research", "report"]:
    """Ask until a person has decided; a study whose trials were rejected is told without them."""
    if state["phase"] == "awaiting_approval":
        return "approve"
    if state["phase"] == "declined" and state.get("study"):
        return "research"
    return "execute" if state["phase"] == "running" else "report"


def route_execute(state: State) -> Literal["watch", "report"]:
    """A run is watched, a refusal told."""
    return "watch" if state["phase"] == "running" else "report"


def route_watch(state: State) -> Literal["watch", "compare", "diagnose", "report"]:
    """Wait until the run has ended; trials are compared, and another run that failed by itself is diagnosed."""
    if state["phase"] == "running":
        return "watch"
    run = state.get("run")
    if run and run["kind"] == "trials":
        return "compare"
    return "diagnose" if run and run["state"] in ("failed", "lost") else "report"


def route_compare(state: State) -> Literal["research", "review", "report"]:
    """A study is concluded; where a run was asked for, the winner's training is next; else it is told who won."""
    if state.get("study"):
        return "research"
    return "review" if state["phase"] == "reviewing" else "report"


def route_diagnose(state: State) -> Literal["mend", "report"]:
    """A run of ours that failed may be mended; what was only asked about is told."""
    run = state.get("run")
    return "mend" if run and run["kind"] in _MENDED_KINDS and state.get("plan") else "report"


def route_mend(state: State) -> Literal["plan", "report"]:
    """A change is planned, reviewed and put before a person; without one a person has to decide."""
    return "plan" if state.get("amendment") else "report"
