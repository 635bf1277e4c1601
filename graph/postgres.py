"""Threads in a PostgreSQL database, for a team whose servers and command lines run on several machines.

An optional part (extra `postgres`): without FSDP_AGENT_POSTGRES or `[threads] postgres` in
the owner's configuration nothing of it is imported, and the threads stay in SQLite.
"""

import hashlib
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from contracts.errors import InputError, RunnerError
from graph.owner_config import load_owner_config

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres import PostgresSaver
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg import Connection

VARIABLE = "FSDP_AGENT_POSTGRES"
"""Environment variable that names the database; it wins over the owner's configuration."""

_SCHEMES = ("postgresql://", "postgres://")
_CONNECT_S = 10
_TABLES_S = 60.0
"""How long one process waits for another that makes the tables."""
_MOVED_S = 600.0
"""How long it waits for another that moves the same thread: that may be hashing a large model."""
_LOOK_AGAIN_S = 0.05
_MAKING_TABLES = 0x66736470_00000001
"""Key of the database's lock while the tables are made: "fsdp", 1."""


def database_url() -> str | None:
    """Return where the threads are, or None for SQLite in the home folder.

    Raises:
        InputError: What is named is no PostgreSQL URL.
        NotAllowed: The owner's configuration cannot be trusted.
    """
    named, where = os.environ.get(VARIABLE), VARIABLE
    if not named:
        config = load_owner_config()
        named, where = config.postgres, f"threads.postgres in {config.path}"
    if not named:
        return None
    if not named.startswith(_SCHEMES):
        raise InputError(
            f"{where} names no PostgreSQL database",
            hint="give postgresql://USER@HOST:PORT/DATABASE; PGPASSWORD or "
            "a password file keeps the password out of it",
        )
    return named


@contextmanager
def open_postgres(url: str) -> Iterator["PostgresSaver"]:
    """Open the threads of a database, for synchronous use; its tables are made where they are missing.

    Raises:
        InputError: The extra is not installed.
        RunnerError: The database cannot be reached, or refuses.
    """
    saver_class, _ = _savers()
    import psycopg

    try:
        with _connected(url) as connection:
            saver: PostgresSaver = saver_class(connection, serde=_strict())
            if not _is_current(connection, saver):
                with _exclusive(connection, _MAKING_TABLES, "the tables are being made", _TABLES_S):
                    saver.setup()
            yield saver
    except psycopg.Error as error:
        raise unreadable(url, error) from None


@asynccontextmanager
async def open_postgres_async(url: str) -> AsyncIterator["AsyncPostgresSaver"]:
    """Open the threads for the LangGraph server: connections that are looked at before they are used.

    Raises:
        InputError: The extra is not installed.
        RunnerError: The database cannot be reached, or refuses.
    """
    import asyncio

    _, saver_class = _savers()
    from psycopg.rows import dict_row
    from psycopg_pool import AsyncConnectionPool

    await asyncio.to_thread(_make_tables, url)
    settings: dict[str, Any] = {
        "autocommit": True,
        "prepare_threshold": 0,
        "row_factory": dict_row,
        "connect_timeout": _CONNECT_S,
    }
    # a database that was restarted leaves dead connections behind
    pool: Any = AsyncConnectionPool(
        url, kwargs=settings, min_size=1, max_size=10, open=False, check=AsyncConnectionPool.check_connection
    )
    async with pool:
        made: AsyncPostgresSaver = saver_class(pool, serde=_strict())
        yield made


@contextmanager
def held_in_postgres(url: str, thread_id: str) -> Iterator[None]:
    """Keep every other process that uses the database from moving a thread meanwhile.

    The lock belongs to a connection: the database frees it when the process dies.

    Raises:
        RunnerError: Another process has moved the thread for ten minutes, or the database cannot be reached.
    """
    import psycopg

    busy = f"thread {thread_id[:64]} is being moved by another process"
    key = int.from_bytes(hashlib.sha256(thread_id.encode("utf-8", "surrogatepass")).digest()[:8], "big", signed=True)
    try:
        with _connected(url) as connection, _exclusive(connection, key, busy, _MOVED_S):
            yield
    except psycopg.Error as error:
        raise unreadable(url, error) from None


def unreadable(url: str, error: Exception) -> RunnerError:
    """Return the error for a person: which database, and its own words, without the password."""
    said = (str(error).strip().splitlines() or [type(error).__name__])[0]
    place, password = _place(url)
    if password:
        said = said.replace(password, "***")
    return RunnerError(
        f"threads in PostgreSQL {place}: {said}",
        code="threads_unreadable",
        hint=f"{VARIABLE} or [threads] postgres names the database; without both, threads are kept in the home folder",
    )


def _place(url: str) -> tuple[str, str]:
    """Return host and database for a person, and the password that must not be shown."""
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(url)
    except Exception:  # whatever a URL may be, nothing of it is shown
        return "(the URL cannot be read)", url
    host = f"{parts.get('host') or 'localhost'}:{parts.get('port') or 5432}"
    return f"{host}/{parts.get('dbname') or ''}", str(parts.get("password") or "")


def _savers() -> tuple[Any, Any]:
    try:
        from langgraph.checkpoint.postgres import PostgresSaver
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    except ImportError as error:
        raise InputError(
            f"threads are to be kept in PostgreSQL, and {error.name or 'its driver'} is not installed",
            code="postgres_missing",
            hint="pip install 'fsdp-agent[postgres]'",
        ) from None
    return PostgresSaver, AsyncPostgresSaver


def _strict() -> Any:
    """Others can write the database: what is read from it may make no objects but those that the state has."""
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    return JsonPlusSerializer(allowed_msgpack_modules=None)


def _connected(url: str) -> "Connection[dict[str, Any]]":
    from psycopg import Connection
    from psycopg.rows import dict_row

    return Connection.connect(
        url, autocommit=True, prepare_threshold=0, row_factory=dict_row, connect_timeout=_CONNECT_S
    )


def _is_current(connection: "Connection[dict[str, Any]]", saver: "PostgresSaver") -> bool:
    """Tell whether the tables are there, as new as the installed package makes them."""
    found = connection.execute("SELECT to_regclass('checkpoint_migrations') IS NOT NULL AS made").fetchone()
    if found is None or not found["made"]:
        return False
    newest = connection.execute("SELECT max(v) AS v FROM checkpoint_migrations").fetchone()
    return newest is not None and newest["v"] is not None and newest["v"] >= len(saver.MIGRATIONS) - 1


def _make_tables(url: str) -> None:
    with open_postgres(url):
        pass


@contextmanager
def _exclusive(connection: "Connection[dict[str, Any]]", key: int, busy: str, patience_s: float) -> Iterator[None]:
    """Hold a lock of the database, which its connection owns.

    It is asked for again and again: one that waits inside the database holds a snapshot, and an
    index that is built concurrently (as the tables' are) would wait for that.
    """
    limit = time.monotonic() + patience_s
    while True:
        row = connection.execute("SELECT pg_try_advisory_lock(%s) AS held", (key,)).fetchone()
        if row is not None and row["held"]:
            break
        if time.monotonic() > limit:
            raise RunnerError(f"{busy}, for {patience_s:.0f} s", code="thread_busy", hint="try again later")
        time.sleep(_LOOK_AGAIN_S)
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute("SELECT pg_advisory_unlock(%s)", (key,))
