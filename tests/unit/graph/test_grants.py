"""A decision is sealed for the approver who gave it; nothing else is touched."""

import time

import pytest

from contracts.canonical import seal_holds
from contracts.grant import Grant
from graph.grants import granted_resume

KEY = b"k" * 32
HASH, ASKED = "c" * 64, {"a" * 32: "d" * 64}
BARE = {"decisions": [{"type": "approve"}]}


def grant(resume: object) -> object:
    return granted_resume(resume, thread_id="t-1", approver="approver", key=KEY, asked=lambda: ASKED)


def test_a_plain_answer_is_sealed() -> None:
    before = time.time()
    sealed = grant({"decisions": [{"type": "reject", "message": "too long", "launch_hash": "0" * 64}]})
    assert set(sealed) == {"grant"}
    made = Grant.model_validate(sealed["grant"])
    assert (made.thread_id, made.decision, made.approver) == ("t-1", "reject", "approver")
    assert (made.reason, made.launch_hash) == ("too long", "0" * 64)
    assert before <= made.granted_at <= time.time()
    assert seal_holds(sealed["grant"], KEY)
    assert not seal_holds(sealed["grant"], b"j" * 32)


def test_answers_by_interrupt_id_are_sealed_one_by_one() -> None:
    sealed = grant({"a" * 32: BARE, "b" * 32: {"state": "done"}})
    assert seal_holds(sealed["a" * 32]["grant"], KEY)
    assert sealed["a" * 32]["grant"]["launch_hash"] == "d" * 64
    assert sealed["b" * 32] == {"state": "done"}


@pytest.mark.parametrize("interrupt_id", ["a" * 32, "b" * 32])
def test_a_hash_that_is_named_counts_before_the_interrupt(interrupt_id: str) -> None:
    named = {"decisions": [{"type": "approve", "launch_hash": HASH}]}
    assert grant({interrupt_id: named})[interrupt_id]["grant"]["launch_hash"] == HASH


@pytest.mark.parametrize("kind", ["approve", "reject"])
def test_a_decision_that_names_no_launch_is_refused(kind: str) -> None:
    bare = {"decisions": [{"type": kind}]}
    for resume in (bare, {"decisions": [{"type": kind, "launch_hash": ""}]}, {"b" * 32: bare}, {"": bare}):
        with pytest.raises(ValueError, match="name the launch"):
            grant(resume)


@pytest.mark.parametrize("resume", ["approve", True, ["approve"], {}, {"state": "done"}, {"grant": {"mac": "x"}}])
def test_what_holds_no_decision_stays_as_it_is(resume: object) -> None:
    assert grant(resume) == resume


@pytest.mark.parametrize(
    "decisions",
    [
        [{"type": "edit", "args": {}, "launch_hash": HASH}],
        [],
        [{"type": "approve"}, {"type": "approve"}],
        "approve",
        [None],
        [{"type": "approve", "message": 7, "launch_hash": HASH}],
        [{"type": "approve", "launch_hash": 7}],
        [{"launch_hash": HASH}],
    ],
)
def test_other_decisions_are_refused_with_the_form(decisions: object) -> None:
    with pytest.raises(ValueError, match=r'"type": "approve"'):
        grant({"decisions": decisions})
