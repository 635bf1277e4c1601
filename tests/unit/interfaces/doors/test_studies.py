"""Studies through a door: made in the background, told of meanwhile, the same study for the same question."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import InputError, KeyConflict, NotAllowed, WrongState
from contracts.settings import Settings
from graph.callers import Caller
from graph.roots import Roots
from interfaces import service_threads
from interfaces.doors import studies
from interfaces.doors.desk import Desk
from interfaces.doors.operations import call
from interfaces.doors.small import LIMIT_CHARACTERS, as_text

QUESTION = "Is LoRA or full fine-tuning of Llama-3-8B the better choice on 8 A100 80GB?"
FIELDS: dict[str, Any] = {"question": QUESTION, "study": True, "request": {"dry_runs": False}}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(studies, "PATIENCE_S", 200.0)  # a loaded machine is slow
    (tmp_path / "root").mkdir()
    return Desk(
        Settings(home=str(tmp_path / "home")), Caller(name="ada", right="submit"), Roots((str(tmp_path / "root"),))
    )


@pytest.fixture
def held(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A study that is not done before this is set, and calls that do not wait long for it."""
    go, real = threading.Event(), service_threads.start_run

    def slowly(*given: Any, told: Any, **more: Any) -> Any:
        told("running dry, 1 of 3")
        assert go.wait(120)
        return real(*given, told=told, **more)

    monkeypatch.setattr(service_threads, "start_run", slowly)
    monkeypatch.setattr(studies, "PATIENCE_S", 0.3)
    yield go
    go.set()
    for work in tuple(studies._WORKING.values()):
        assert work.done.wait(200), "no study is left to the next test"


def test_a_study_on_paper_comes_back_in_one_call(desk: Desk) -> None:
    found = call("ask", desk, FIELDS)
    assert (found["ok"], found["status"], found["study"]["choice"] is not None) == (True, "done", True)
    assert found["conclusion"][0]["text"]
    assert "plan" not in found
    assert len(as_text(found)) <= LIMIT_CHARACTERS
    again = call("ask", desk, FIELDS)
    assert again["thread_id"] == found["thread_id"]
    assert call("ask", desk, FIELDS | {"key": "mine"})["thread_id"] != found["thread_id"]


def test_every_part_of_a_study_can_be_paged_through(desk: Desk) -> None:
    thread_id = call("ask", desk, FIELDS)["thread_id"]
    parts, offset = [], 0
    while offset is not None:
        page = call("status", desk, {"id": thread_id, "part": "parts", "offset": offset})
        assert len(as_text(page)) <= LIMIT_CHARACTERS
        parts += page["parts"]
        offset = page.get("next_offset")
    assert {part["kind"] for part in parts} == {"claim", "estimate"}
    assert len(parts) == page["of"]
    report = call("read", desk, {"id": thread_id, "what": "report"})
    assert report["report"].startswith("# FSDP report")


def test_a_long_study_is_told_of_and_its_end_found_by_the_status(
    desk: Desk, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    begun = call("ask", Desk(desk.settings, desk.caller, desk.roots, told.append), FIELDS)
    assert (begun["status"], begun["progress"][-1]) == ("answering", "running dry, 1 of 3")
    assert told in ([], ["running dry, 1 of 3"])  # who came too late hears the next word
    assert call("status", desk, {"id": begun["thread_id"]})["status"] == "answering"
    assert call("ask", desk, FIELDS)["thread_id"] == begun["thread_id"]  # it is not begun twice
    held.set()
    monkeypatch.setattr(studies, "PATIENCE_S", 200.0)
    done = call("ask", Desk(desk.settings, desk.caller, desk.roots, told.append), FIELDS)
    assert done["status"] == "done"
    assert call("status", desk, {"id": begun["thread_id"]})["status"] == "done"


def test_no_more_than_a_few_are_made_at_once(desk: Desk, held: threading.Event) -> None:
    for number in range(4):
        assert call("ask", desk, FIELDS | {"key": str(number)})["status"] == "answering"
    with pytest.raises(WrongState, match="4 studies are being made already"):
        call("ask", desk, FIELDS | {"key": "one more"})


def test_what_is_missing_is_told(desk: Desk) -> None:
    found = call("ask", desk, {"question": "HSDP or full shard for our 70B on 4 nodes?", "study": True})
    assert found["status"] == "needs_input"
    assert "--gpu" in found["error"]["message"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"request": {"model": {"path": "/etc"}}}, NotAllowed),
        ({"request": {"interpreter": "/usr/bin/python3"}}, NotAllowed),
        ({"request": {"script": {"path": "train.py"}}}, InputError),
        ({"request": {"text": "another question"}}, InputError),
        ({"request": {"hardware": {"gpus": "many"}}}, InputError),
        ({"study": False}, InputError),
        ({"study": False, "request": {}, "key": "k"}, InputError),
    ],
)
def test_what_no_study_can_be_made_of_is_refused(desk: Desk, changes: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call("ask", desk, FIELDS | changes)


def test_a_key_means_one_question(desk: Desk) -> None:
    call("ask", desk, FIELDS | {"key": "k"})
    with pytest.raises(KeyConflict, match="'k' was used for another question"):
        call("ask", desk, FIELDS | {"key": "k", "question": QUESTION.replace("8 A100", "4 A100")})


def test_others_do_not_see_it(desk: Desk) -> None:
    thread_id = call("ask", desk, FIELDS)["thread_id"]
    other = Desk(desk.settings, Caller(name="bob", right="submit"), desk.roots)
    with pytest.raises(InputError):
        call("status", other, {"id": thread_id})
    assert call("ask", other, FIELDS)["thread_id"] != thread_id


def test_a_plain_question_is_answered_from_the_cards(desk: Desk) -> None:
    found = call("ask", desk, {"question": "does FSDP2 need ShardedGradScaler?"})
    assert found["covered"] is True
    long = call("ask", desk, {"question": "does FSDP2 need ShardedGradScaler? " + "x" * 4000})
    assert "only the first 4,000 characters" in long["notice"]
    assert json.dumps(long)
