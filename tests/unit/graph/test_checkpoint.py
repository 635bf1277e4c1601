"""Threads live in one private SQLite file that several processes share."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph.checkpoint import open_saver, saver
from runners import Home

CONFIG = {"configurable": {"thread_id": "t-1", "checkpoint_ns": ""}}


def test_the_file_is_private_and_in_wal_mode(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with open_saver(home) as made:
        assert isinstance(made, SqliteSaver)
        assert made.conn.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert made.conn.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
    assert home.threads.stat().st_mode & 0o777 == 0o600
    assert home.root.stat().st_mode & 0o777 == 0o700


def test_the_connection_is_closed_behind_the_caller(tmp_path: Path) -> None:
    with open_saver(Home(tmp_path)) as made:
        pass
    with pytest.raises(sqlite3.ProgrammingError):
        made.conn.execute("SELECT 1")


def test_the_server_and_the_command_line_see_the_same_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSDP_AGENT_HOME", str(tmp_path))
    written = empty_checkpoint()
    with open_saver(Home(tmp_path)) as made:
        made.put(CONFIG, written, {"source": "input", "step": -1, "parents": {}}, {})

    async def read() -> str:
        async with saver() as opened:
            assert isinstance(opened, AsyncSqliteSaver)
            found = await opened.aget_tuple(CONFIG)
            assert found is not None
            return found.checkpoint["id"]

    assert asyncio.run(read()) == written["id"]


def test_a_file_that_is_no_database_is_an_error_and_stays(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.threads.write_text("these are notes, not a database, and they are long enough to be told apart" * 20)
    with pytest.raises(sqlite3.DatabaseError), open_saver(home):
        pass
    assert home.threads.read_text().startswith("these are notes")
