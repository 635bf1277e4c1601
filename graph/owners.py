"""Whose thread it is: written once, when it is begun, and asked before anything of it is shown."""

import hashlib
import os
from pathlib import Path

from contracts.errors import InputError, UnknownRun
from graph.callers import LOCAL, Caller
from runners import Home

_MAX_BYTES = 256


class Owners:
    """The owners of the threads of one home folder."""

    def __init__(self, home: Home) -> None:
        """Name the folder; nothing is made."""
        self._folder = home.root / "owners"

    def thread_id(self, caller: Caller, key: str) -> str:
        """Return the id of the caller's thread under an idempotency key: the same at every call."""
        digest = hashlib.sha256(f"{caller.name}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()
        return f"t-{digest[:12]}"

    def claim(self, thread_id: str, caller: Caller) -> None:
        """Write down that a thread is the caller's, before it begins.

        Raises:
            InputError: It is somebody else's.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            descriptor = os.open(self._file(thread_id), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if self.owner(thread_id) != caller.name:
                raise InputError(f"there is no thread {thread_id!r}", code="unknown_thread") from None
            return
        with open(descriptor, "w", encoding="utf-8") as stream:
            stream.write(caller.name)

    def owner(self, thread_id: str) -> str:
        """Return whose a thread is; what no door began is the local user's."""
        try:
            with open(self._file(thread_id), encoding="utf-8") as stream:
                return stream.read(_MAX_BYTES) or LOCAL.name
        except FileNotFoundError:
            return LOCAL.name

    def sees(self, caller: Caller, thread_id: str | None) -> bool:
        """Tell whether a thread, or a run without one, is the caller's to see; an approver sees all."""
        return caller.may_decide or self.owner(thread_id or "") == caller.name

    def require_thread(self, caller: Caller, thread_id: str) -> None:
        """Refuse a thread of others in the words for one that does not exist.

        Raises:
            InputError: It is not the caller's.
        """
        if not self.sees(caller, thread_id):
            raise InputError(f"there is no thread {thread_id[:64]!r}", code="unknown_thread")

    def require_run(self, caller: Caller, run_id: str, thread_id: str | None) -> None:
        """Refuse a run of others in the words for one that does not exist.

        Args:
            caller: Who asks.
            run_id: The run.
            thread_id: The thread that submitted it; None where none did.

        Raises:
            UnknownRun: It is not the caller's.
        """
        if not self.sees(caller, thread_id):
            raise UnknownRun(f"there is no run {run_id}")

    def _file(self, thread_id: str) -> Path:
        # ids of the LangGraph server have no form of ours: the name is made of the hash
        return self._folder / hashlib.sha256(thread_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
