"""A decision is sealed for the approver who gave it; nothing else is touched."""

import time

import pytest

from contracts.canonical import seal_holds
from contracts.grant import Grant
from graph.grants import granted_resume

KEY = b"k" * 32
APPROVE = {"decisions": [{"type": "approve"}]}


def grant(resume: object) -> object:
    return granted_resume(resume, thread_id="t-1", approver="approver", key=KEY)


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
    sealed = grant({"a" * 32: APPROVE, "b" * 32: {"state": "done"}})
    assert seal_holds(sealed["a" * 32]["grant"], KEY)
    assert sealed["b" * 32] == {"state": "done"}


@pytest.mark.parametrize("resume", ["approve", True, ["approve"], {}, {"state": "done"}, {"grant": {"mac": "x"}}])
def test_what_holds_no_decision_stays_as_it_is(resume: object) -> None:
    assert grant(resume) == resume


@pytest.mark.parametrize(
    "decisions",
    [
        [{"type": "edit", "args": {}}],
        [],
        [{"type": "approve"}, {"type": "approve"}],
        "approve",
        [None],
        [{"type": "approve", "message": 7}],
        [{}],
    ],
)
def test_other_decisions_are_refused_with_the_form(decisions: object) -> None:
    with pytest.raises(ValueError, match=r'"type": "approve"'):
        grant({"decisions": decisions})
