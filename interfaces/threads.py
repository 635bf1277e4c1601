"""The graph's threads in one home folder. Importing this imports LangGraph.

The checkpointer is the truth: which thread waits for which launch is asked of it each
time, and no index is kept beside it.
"""

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Interrupt, StateSnapshot

from contracts.errors import InputError, RunnerError
from contracts.settings import Settings
from graph.build import builder
from graph.checkpoint import open_saver
from graph.postgres import database_url, held_in_postgres
from runners import Home


class Threads:
    """The threads of one home folder, with its checkpointer open."""

    def __init__(self, home: Home, settings: Settings, saver: BaseCheckpointSaver[str]) -> None:
        """Bind the graph to a checkpointer."""
        self.home = home
        self.settings = settings
        self._saver = saver
        self._graph = builder.compile(checkpointer=saver, name="fsdp-agent")

    def state(self, thread_id: str) -> StateSnapshot:
        """Return a thread's newest state.

        Raises:
            InputError: There is no such thread.
        """
        state = self._graph.get_state(_config(thread_id))
        if not state.values:
            raise InputError(f"there is no thread {thread_id!r}", code="unknown_thread")
        return state

    def exists(self, thread_id: str) -> bool:
        """Tell whether a thread has begun."""
        return self._saver.get_tuple(_config(thread_id)) is not None

    def send(self, thread_id: str, message: Any, told: Callable[[str], None] | None = None) -> None:
        """Run the graph with an input or an answer, until it waits or ends.

        Args:
            thread_id: The thread.
            message: An input, or an answer to an interrupt.
            told: Is told what the nodes are about, while they work.
        """
        if told is None:
            self._graph.invoke(message, _config(thread_id), context=self.settings)
            return
        for event in self._graph.stream(message, _config(thread_id), context=self.settings, stream_mode="custom"):
            if isinstance(event, dict) and event.get("type") == "progress":
                told(str(event["text"]))

    def all(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the id and the values of every thread, the one that moved last first."""
        found: dict[str, dict[str, Any]] = {}
        for entry in self._saver.list(None):
            place = entry.config["configurable"]
            if not place.get("checkpoint_ns"):
                found.setdefault(place["thread_id"], entry.checkpoint["channel_values"])
        return list(found.items())

    @contextmanager
    def held(self, thread_id: str) -> Iterator[None]:
        """Keep other processes from moving a thread meanwhile: all that use the same threads.

        Raises:
            RunnerError: In PostgreSQL, another process has been moving it for ten minutes.
        """
        url = database_url()
        if url:
            with held_in_postgres(url, thread_id):
                yield
            return
        folder = self.home.root / "locks"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Ids of other doors have no known form; the lock's name is made of the hash.
        path = folder / hashlib.sha256(thread_id.encode()).hexdigest()[:16]
        with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "wb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)  # the kernel frees it when the process dies
            yield


@contextmanager
def open_threads(settings: Settings) -> Iterator[Threads]:
    """Open the threads of the home folder that the settings name.

    Raises:
        RunnerError: The file of the threads is broken, or stays locked.
    """
    home = Home(settings.home)
    try:
        with open_saver(home) as saver:
            yield Threads(home, settings, saver)
    except sqlite3.Error as error:
        raise RunnerError(f"threads in {home.threads}: {error}", code="threads_unreadable") from None


def pending(state: StateSnapshot, kind: str) -> Interrupt | None:
    """Return the interrupt of this kind (`approval` or `job`) that waits for an answer."""
    for entry in state.interrupts:
        if isinstance(entry.value, dict) and entry.value.get("kind") == kind:
            return entry
    return None


def _config(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}}
