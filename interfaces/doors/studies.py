"""Studies through a door: begun in the background, so that no call waits for dry runs, and told by the thread."""

import threading
from collections.abc import Callable
from typing import Any

from contracts.canonical import content_hash
from contracts.errors import InputError, KeyConflict, RequestInvalid, WrongState
from contracts.request import Request
from contracts.settings import Settings
from interfaces.doors.desk import Desk
from interfaces.doors.inputs import AskInput
from interfaces.results import Thread

PATIENCE_S = 20.0
"""Seconds that a call waits for a study: one on paper is done by then, one with dry runs is told of."""
_MOST_AT_ONCE = 4
"""Studies that are worked on at once; each keeps a core."""
_PLACES = ("model", "data", "hardware", "recipe", "aim", "method", "optimizer", "dry_runs", "interpreter")
"""Fields of a request that say what a study is of."""


class _Work:
    """One study that is being made."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.said = ["begun"]
        self.thread: Thread | None = None
        self.error: Exception | None = None
        self.listeners: list[Callable[[str], None]] = []

    def tell(self, text: str) -> None:
        """Take note of what is being done, and tell those who wait."""
        self.said.append(text)
        for listener in tuple(self.listeners):
            listener(text)


_WORKING: dict[tuple[str, str], _Work] = {}
"""By home folder and thread; what is done is taken out."""
_LOCK = threading.Lock()


def study(desk: Desk, given: AskInput) -> Thread | dict[str, Any]:
    """Begin a study, or look how far it is; the same question of the same job is the same study.

    Args:
        desk: Who calls, and who is told of progress.
        given: The question and what it is of.

    Returns:
        The thread, once the study has come to rest; till then what is being done.

    Raises:
        InputError: It is a study of something that none can be made of.
        KeyConflict: The key was used for another question.
    """
    request = _request(desk, given)
    key = given.key or f"study {content_hash(request.model_dump(mode='json', exclude_unset=True))}"
    thread_id = desk.owners.thread_id(desk.caller, key)
    desk.owners.claim(thread_id, desk.caller)
    work = _begun(desk.settings, request, thread_id)
    if desk.told is not None:
        work.listeners.append(desk.told)
    try:
        work.done.wait(PATIENCE_S)
    finally:
        if desk.told is not None:
            work.listeners.remove(desk.told)
    if not work.done.is_set():
        return _underway(thread_id, work)
    if work.thread is not None:
        return work.thread
    assert work.error is not None, "it ended one way or the other"
    if isinstance(work.error, RequestInvalid) and work.error.code == "other_request":
        raise KeyConflict(f"the key {key[:60]!r} was used for another question", hint="use a new key") from None
    raise work.error


def underway(settings: Settings, thread_id: str) -> dict[str, Any] | None:
    """Return what is being done in a thread right now; None where nothing is."""
    work = _WORKING.get((settings.home, thread_id))
    return None if work is None or work.done.is_set() else _underway(thread_id, work)


def _underway(thread_id: str, work: _Work) -> dict[str, Any]:
    return {
        "status": "answering",
        "thread_id": thread_id,
        "phase": "answering",
        "progress": work.said[-5:],
        "note": "the study is being made; look at the status of this thread again in half a minute",
    }


def _request(desk: Desk, given: AskInput) -> Request:
    from interfaces.service import make_request

    unfit = sorted(set(given.request) - set(_PLACES))
    if unfit:
        raise InputError(
            f"request.{', request.'.join(name[:40] for name in unfit[:5])}: no field of a study",
            code="input_invalid",
            hint=f"fields: {', '.join(_PLACES)}",
        )
    fields = desk.roots.confine({name: value for name, value in given.request.items() if value is not None})
    asked = {"text": given.question, "intent": "ask", "study": True}
    return make_request(fields | asked | ({"torch": given.torch} if given.torch else {}))


def _begun(settings: Settings, request: Request, thread_id: str) -> _Work:
    """Return the work on a study, begun where nobody is at it."""
    place = (settings.home, thread_id)
    with _LOCK:
        work = _WORKING.get(place)
        if work is not None and not work.done.is_set():
            return work
        if sum(not one.done.is_set() for one in _WORKING.values()) >= _MOST_AT_ONCE:
            raise WrongState(
                f"{_MOST_AT_ONCE} studies are being made already", code="busy", hint="ask again in a minute"
            )
        work = _WORKING[place] = _Work()
    # daemon: a server that ends leaves the thread as a kill would, and it goes on when it is looked at again
    threading.Thread(target=_make, args=(settings, request, thread_id, work), daemon=True).start()
    return work


def _make(settings: Settings, request: Request, thread_id: str, work: _Work) -> None:
    from interfaces.service_threads import start_run

    try:
        work.thread = start_run(settings, request, thread_id, told=work.tell)
    except Exception as error:  # it is raised where the answer is waited for
        work.error = error
    finally:
        work.done.set()
        with _LOCK:
            _WORKING.pop((settings.home, thread_id), None)
