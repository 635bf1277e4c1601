"""A journal's entries in words: what a person should see, and nothing else."""

from runners.noticing import notices_of


def _said(*entries: dict) -> list[tuple[str, str]]:
    stamped = [{"time": 1.0, "attempt": 1, **entry} for entry in entries]
    return [(notice.kind, notice.message) for notice in notices_of(stamped)]


def test_bookkeeping_is_no_notice() -> None:
    assert (
        _said({"kind": "supervisor"}, {"kind": "attempt"}, {"kind": "started"}, {"kind": "end"}, {"kind": "new"}) == []
    )


def test_a_second_supervisor_of_the_same_start_adopted_it() -> None:
    began, restarted = {"kind": "supervisor"}, {"kind": "restart", "attempt": 2, "reason": "again"}
    assert [kind for kind, _ in _said(began, began)] == ["adopted"]
    assert [kind for kind, _ in _said(began, restarted, {"kind": "supervisor", "attempt": 2})] == ["restart", "adopted"]
    assert _said(began, {"kind": "supervisor", "attempt": 2}) == []  # a person resumed it


def test_a_hang_its_end_and_what_followed() -> None:
    said = _said(
        {"kind": "hang", "reason": "rank 3 gave no sign of life for 601 s", "evidence": ["a", "b"]},
        {"kind": "ending", "step": "asked", "by": "the supervisor"},
        {"kind": "ending", "step": "term"},
        {"kind": "ending", "step": "kill"},
        {"kind": "restart", "reason": "restart 1 of 8 after: a rank hung", "pause_s": 10.0},
        {"kind": "give_up", "reason": "used up"},
    )
    assert said == [
        ("hang", "rank 3 gave no sign of life for 601 s; 2 files of evidence were taken"),
        ("ending", "told to end (SIGTERM)"),
        ("ending", "did not end: killed (SIGKILL)"),
        ("restart", "restart 1 of 8 after: a rank hung, in 10 s"),
        ("give_up", "not restarted: used up"),
    ]


def test_foreign_words_do_not_steer_a_terminal_and_are_bounded() -> None:
    [(_, message)] = _said({"kind": "warning", "message": "\x1b[2Jlow" + "x" * 5000})
    assert "\x1b" not in message
    assert message.startswith("low")
    assert len(message) < 1000


def test_a_start_that_waits_says_for_what() -> None:
    assert _said({"kind": "queued", "reason": "waits for 2 of 2 cores (0 free)"}) == [
        ("queued", "waits for 2 of 2 cores (0 free)")
    ]


def test_a_torn_entry_is_passed_over() -> None:
    assert notices_of([{"kind": "warning", "message": "x"}, {"kind": "hang", "attempt": "?", "time": 1.0}]) == []


def test_by_what_a_hang_would_be_noticed_and_which_limit_was_met() -> None:
    told = _said(
        {"kind": "watched", "attempt": 1, "by": "logs"},
        {"kind": "limit", "attempt": 1, "reason": "limit processes: 9 at once, 4 allowed"},
    )
    assert told == [
        ("watched", "it gives no heartbeat: only logs that stop growing are noticed"),
        ("limit", "limit processes: 9 at once, 4 allowed"),
    ]
