"""Every route: which node follows which state."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from graph import routes

SAID = [HumanMessage("hello")]
ANSWERED = [HumanMessage("hello"), AIMessage("good day")]


@pytest.mark.parametrize(
    ("state", "node"),
    [
        ({}, "assess"),
        ({"request": {"text": "x"}}, "assess"),
        ({"phase": "needs_input", "messages": SAID}, "assess"),
        ({"phase": "awaiting_approval", "request": {"text": "x"}}, "approve"),
        ({"phase": "awaiting_approval", "messages": SAID}, "approve"),
        ({"phase": "running", "run_id": "r-0123456789ab", "messages": SAID}, "watch"),
        ({"phase": "running", "run_id": None}, "execute"),
        ({"phase": "done", "run_id": "r-0123456789ab", "messages": ANSWERED}, "watch"),
        ({"phase": "failed", "run_id": "r-0123456789ab", "request": None}, "watch"),
        ({"phase": "done", "run_id": "r-0123456789ab", "messages": SAID}, "assess"),
        ({"phase": "done", "run_id": "r-0123456789ab", "request": {"text": "x"}}, "assess"),
        ({"phase": "done", "messages": ANSWERED}, "assess"),
    ],
)
def test_a_thread_that_waits_goes_back_to_waiting(state: dict, node: str) -> None:
    assert routes.route_start(state) == node


@pytest.mark.parametrize(
    ("intent", "node"),
    [("ask", "research"), ("diagnose", "diagnose"), ("review", "review"), ("plan", "plan"), ("run", "plan")],
)
def test_the_intent_chooses(intent: str, node: str) -> None:
    assert routes.route_assess({"phase": "planning", "need": {"intent": intent}}) == node


@pytest.mark.parametrize("phase", ["failed", "needs_input", "not_advised"])
def test_the_gate_stops(phase: str) -> None:
    assert routes.route_assess({"phase": phase, "need": {"intent": "run"}}) == "report"


def test_only_what_was_put_forward_is_asked_about() -> None:
    assert routes.route_review({"phase": "awaiting_approval"}) == "approve"
    assert {routes.route_review({"phase": phase}) for phase in ("done", "failed", "reviewing")} == {"report"}


def test_only_an_approved_launch_is_executed() -> None:
    assert routes.route_approve({"phase": "running"}) == "execute"
    assert routes.route_approve({"phase": "awaiting_approval"}) == "approve"
    assert {routes.route_approve({"phase": phase}) for phase in ("declined", "failed")} == {"report"}


def test_plans_and_starts_that_failed_are_told() -> None:
    assert routes.route_plan({"phase": "reviewing"}) == "review"
    assert {routes.route_plan({"phase": phase}) for phase in ("failed", "needs_input")} == {"report"}
    assert routes.route_execute({"phase": "running"}) == "watch"
    assert routes.route_execute({"phase": "failed"}) == "report"


@pytest.mark.parametrize(
    ("state", "node"),
    [("done", "report"), ("failed", "diagnose"), ("lost", "diagnose"), ("cancelled", "report"), ("refused", "report")],
)
def test_what_failed_by_itself_is_diagnosed(state: str, node: str) -> None:
    phase = "done" if state == "done" else "failed"
    assert routes.route_watch({"phase": phase, "run": {"state": state, "kind": "train"}}) == node
    assert routes.route_watch({"phase": "running", "run": {"state": "running", "kind": "train"}}) == "watch"


def test_a_plan_is_tried_once_where_that_was_asked_for() -> None:
    asked = {"phase": "reviewing", "asked": {"trials": 2}}
    assert routes.route_plan(asked) == "trial"
    assert routes.route_plan(asked | {"trials": {"trials": []}}) == "review"
    assert routes.route_plan(asked | {"asked": {"trials": 0}}) == "review"
    assert routes.route_plan(asked | {"phase": "failed"}) == "report"
    assert routes.route_trial({"phase": "reviewing"}) == "review"
    assert routes.route_trial({"phase": "failed"}) == "report"


@pytest.mark.parametrize("state", ["done", "failed", "lost", "cancelled", "refused"])
def test_trials_are_compared_however_they_ended_and_never_diagnosed(state: str) -> None:
    phase = "done" if state == "done" else "failed"
    assert routes.route_watch({"phase": phase, "run": {"state": state, "kind": "trials"}}) == "compare"
    assert routes.route_watch({"phase": "running", "run": {"state": "running", "kind": "trials"}}) == "watch"
    assert {routes.route_compare({"phase": phase}) for phase in ("done", "failed")} == {"report"}
    assert routes.route_compare({"phase": "reviewing"}) == "review"


def test_a_run_that_is_gone_is_told() -> None:
    assert routes.route_watch({"phase": "failed"}) == "report"


@pytest.mark.parametrize(
    ("kind", "node"), [("train", "mend"), ("script", "mend"), ("dryrun", "report"), ("export", "report")]
)
def test_a_training_of_ours_that_failed_may_be_mended(kind: str, node: str) -> None:
    assert routes.route_diagnose({"phase": "failed", "run": {"kind": kind}, "plan": {"launch": {}}}) == node


def test_what_was_only_asked_about_is_told() -> None:
    assert routes.route_diagnose({"phase": "done", "run": None, "plan": None}) == "report"


def test_a_change_is_planned_and_none_is_told() -> None:
    assert routes.route_mend({"phase": "planning", "amendment": {"round": 1}}) == "plan"
    assert routes.route_mend({"phase": "failed", "amendment": None}) == "report"
