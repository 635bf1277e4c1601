"""Where threads are kept, for the server and the command line alike.

One SQLite file in the home folder, or where the owner names one a PostgreSQL database.
"""

import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.settings import Settings
from graph.postgres import database_url, open_postgres, open_postgres_async
from runners import Home

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.sqlite import SqliteSaver

_BUSY_TIMEOUT_S = 30
"""How long one process waits for another's write."""


@contextmanager
def open_saver(home: Home) -> Iterator["BaseCheckpointSaver[Any]"]:
    """Open the threads, for synchronous use.

    Args:
        home: Its file holds them where no database is named.

    Raises:
        OSError: The file cannot be made.
        sqlite3.Error: It is no SQLite database, or stays locked for 30 s.
        InputError: What is named is no PostgreSQL database, or its driver is not installed.
        RunnerError: The PostgreSQL database cannot be reached.
    """
    url = database_url()
    opened = open_postgres(url) if url else _open_sqlite(home)
    with opened as saver:
        yield saver


@asynccontextmanager
async def saver() -> AsyncIterator["BaseCheckpointSaver[Any]"]:
    """Open the threads for the LangGraph server, which names this in langgraph.json."""
    import asyncio

    url = await asyncio.to_thread(database_url)
    if url:
        async with open_postgres_async(url) as made:
            yield made
        return
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    path = await asyncio.to_thread(lambda: _private_file(Home(Settings().home).threads))
    async with aiosqlite.connect(path, timeout=_BUSY_TIMEOUT_S) as connection:
        kept = AsyncSqliteSaver(connection)
        await kept.setup()
        yield kept


@contextmanager
def _open_sqlite(home: Home) -> Iterator["SqliteSaver"]:
    from langgraph.checkpoint.sqlite import SqliteSaver

    # The saver guards the connection by a lock; nodes run in threads of their own.
    connection = sqlite3.connect(_private_file(home.threads), timeout=_BUSY_TIMEOUT_S, check_same_thread=False)
    try:
        made = SqliteSaver(connection)
        made.setup()  # journal in WAL mode: a reader and a writer do not block each other
        yield made
    finally:
        connection.close()


def _private_file(path: Path) -> Path:
    """A thread holds what people asked and decided: readable by its owner alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    return path
