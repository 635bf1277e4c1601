"""Threads in a real PostgreSQL: two machines' processes see the same, and nothing pending is lost by a kill."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph.checkpoint.postgres", reason="needs the extra postgres")

from contracts.errors import RunnerError
from contracts.settings import Settings
from graph.checkpoint import open_saver, saver
from graph.postgres import VARIABLE, held_in_postgres
from interfaces.threads import open_threads, pending
from runners import Home
from tests.flows.conftest import Bench, make_bench
from tests.flows.servers import served
from tests.flows.test_http import decide, until, waiting
from tests.postgres_server import Database, database

pytestmark = [pytest.mark.interop, pytest.mark.timeout(900)]

# One process of "another machine": it has a home folder of its own, and only the database in common.
OTHER = """
import json, os, signal, sys
from contracts.settings import Settings
from interfaces.threads import open_threads, pending
action, home, thread_id, value = sys.argv[1:5]
with open_threads(Settings(home=home)) as threads:
    if action == "send":
        threads.send(thread_id, {"request": json.loads(value)})
        os.kill(os.getpid(), signal.SIGKILL)
    question = pending(threads.state(thread_id), "approval")
    found = {"phase": threads.state(thread_id).values["phase"], "hash": question and question.value["launch_hash"]}
    print(json.dumps(found | {"threads": [name for name, _ in threads.all()]}))
"""


@pytest.fixture(scope="module")
def running() -> Iterator[Database]:
    with database() as made:
        yield made


@pytest.fixture
def postgres(running: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setenv(VARIABLE, running.url)
    return running


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = make_bench(tmp_path)
    yield made
    made.switch("hold", False)


def process(*arguments: str) -> subprocess.Popen:
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    call = [sys.executable, "-c", OTHER, *arguments]
    return subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def look(home: Path, thread_id: str) -> dict[str, Any]:
    found = process("look", str(home), thread_id, "{}")
    out, err = found.communicate(timeout=240)
    assert found.returncode == 0, err
    return json.loads(out)


def test_first_starts_at_once_make_the_tables_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import sys\nfrom graph.checkpoint import open_saver\nfrom runners import Home\n"
    program += "with open_saver(Home(sys.argv[1])) as made:\n    print(list(made.list(None)))\n"
    with database() as fresh:
        monkeypatch.setenv(VARIABLE, fresh.url)
        call = [sys.executable, "-c", program, str(tmp_path)]
        starts = [subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(6)]
        for each in starts:
            out, err = each.communicate(timeout=240)
            assert (each.returncode, out.strip()) == (0, "[]"), err
    assert not Home(tmp_path).threads.exists()


def test_two_processes_see_one_thread_and_a_kill_loses_nothing(postgres: Database, bench: Bench) -> None:
    first = process("send", str(bench.home.root), "t-shared", json.dumps(bench.request))
    _, said = first.communicate(timeout=240)
    assert first.returncode == -signal.SIGKILL, said
    elsewhere = bench.folder / "elsewhere"
    seen = look(elsewhere, "t-shared")
    assert seen["phase"] == "awaiting_approval"
    assert "t-shared" in seen["threads"]
    assert not Home(elsewhere).threads.exists()
    postgres.kill()
    postgres.start()
    assert look(elsewhere, "t-shared")["hash"] == seen["hash"]
    # it goes on where the home folder with the runs is
    from langgraph.types import Command

    with open_threads(Settings(home=str(bench.home.root))) as threads:
        question = pending(threads.state("t-shared"), "approval")
        assert question is not None
        decision = bench.decision(seen["hash"], thread_id="t-shared")
        threads.send("t-shared", Command(resume={question.id: decision}))
        assert threads.state("t-shared").values["phase"] == "running"
        assert bench.wait(threads.state("t-shared").values["run_id"]).state == "done"
    assert look(elsewhere, "t-shared")["phase"] == "running"
    assert len(bench.starts) == 1


def test_a_thread_is_moved_by_one_process_at_a_time(postgres: Database) -> None:
    program = "import sys, time\nfrom graph.postgres import held_in_postgres\n"
    program += "with held_in_postgres(sys.argv[1], 't-held'):\n    print('held', flush=True)\n    time.sleep(600)\n"
    call = [sys.executable, "-c", program, postgres.url]
    other = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with held_in_postgres(postgres.url, "t-another"):
            pass  # another thread is free
        with pytest.MonkeyPatch.context() as short:
            short.setattr("graph.postgres._MOVED_S", 0.5)
            with (
                pytest.raises(RunnerError, match="t-held is being moved") as busy,
                held_in_postgres(postgres.url, "t-held"),
            ):
                pass
            assert busy.value.code == "thread_busy"
    finally:
        other.kill()
        other.wait(60)
    with held_in_postgres(postgres.url, "t-held"):
        pass  # the dead one's lock went with its connection


def test_the_langgraph_servers_saver_sees_it_and_outlives_a_restart(postgres: Database, bench: Bench) -> None:
    with open_threads(Settings(home=str(bench.home.root))) as threads:
        threads.send("t-async", {"request": bench.request})
    place: Any = {"configurable": {"thread_id": "t-async", "checkpoint_ns": ""}}

    async def read() -> list[str]:
        phases = []
        async with saver() as opened:
            for after in (False, True):
                if after:
                    await asyncio.to_thread(postgres.kill)
                    await asyncio.to_thread(postgres.start)
                found = await opened.aget_tuple(place)
                assert found is not None
                phases.append(found.checkpoint["channel_values"]["phase"])
        return phases

    assert asyncio.run(read()) == ["awaiting_approval"] * 2


@pytest.mark.server
@pytest.mark.parametrize("kind", ["plain", "langgraph"])
def test_a_pending_approval_survives_kill_9_of_server_and_database(
    postgres: Database, kind: str, tmp_path: Path, bench: Bench
) -> None:
    (tmp_path / "logs").mkdir()
    with served(kind, bench, tmp_path) as server:
        stand = waiting(server, f"postgres-{kind}")
        server.kill()
        postgres.kill()
        postgres.start()
        server.start()
        again = waiting(server, f"postgres-{kind}")
        assert (again["thread_id"], again["launch_hash"]) == (stand["thread_id"], stand["launch_hash"])
        running = decide(server, stand).json()
        assert running["ok"] is True, running
        assert bench.wait(running["run_id"]).state == "done"
        with server.http() as http:
            until(lambda: http.get(f"/fsdp/v1/threads/{stand['thread_id']}").json()["phase"] == "done")
    assert bench.starts == [running["run_id"]]
    assert not bench.home.threads.exists()


def test_a_database_that_is_not_there_is_said_without_the_password(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "postgresql://fsdp:open-sesame@127.0.0.1:1/teams")
    began = time.monotonic()
    with pytest.raises(RunnerError, match=r"PostgreSQL 127\.0\.0\.1:1/teams: ") as caught, open_saver(bench.home):
        pass
    assert "open-sesame" not in str(caught.value)
    assert caught.value.code == "threads_unreadable"
    assert time.monotonic() - began < 60
