"""Where threads are kept: one SQLite file in the home folder, for the server and the command line alike."""

import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.settings import Settings
from runners import Home

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

_BUSY_TIMEOUT_S = 30
"""How long one process waits for another's write."""


@contextmanager
def open_saver(home: Home) -> Iterator["SqliteSaver"]:
    """Open the threads of a home folder, for synchronous use.

    Raises:
        OSError: The file cannot be made.
        sqlite3.Error: It is no database, or stays locked for 30 s.
    """
    from langgraph.checkpoint.sqlite import SqliteSaver

    # The saver guards the connection by a lock; nodes run in threads of their own.
    connection = sqlite3.connect(_private_file(home.threads), timeout=_BUSY_TIMEOUT_S, check_same_thread=False)
    try:
        saver = SqliteSaver(connection)
        saver.setup()  # journal in WAL mode: a reader and a writer do not block each other
        yield saver
    finally:
        connection.close()


@asynccontextmanager
async def saver() -> AsyncIterator["AsyncSqliteSaver"]:
    """Open the threads for the LangGraph server, which names this in langgraph.json."""
    import asyncio

    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    path = await asyncio.to_thread(lambda: _private_file(Home(Settings().home).threads))
    async with aiosqlite.connect(path, timeout=_BUSY_TIMEOUT_S) as connection:
        made = AsyncSqliteSaver(connection)
        await made.setup()
        yield made


def _private_file(path: Path) -> Path:
    """A thread holds what people asked and decided: readable by its owner alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    return path
