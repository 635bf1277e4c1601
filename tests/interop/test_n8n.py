"""The real n8n 2.8.4: the page's commands lead to an answer; installed, used through restarts, and removed.

n8n is there and runs; nothing of the agent is in it.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flows.conftest import make_bench
from tests.flows.servers import Served, free_port, served
from tests.interop.n8n_desk import N8N, NEEDS_N8N, PATIENCE_S, ROOT, N8n
from tests.interop.test_newcomer import checkout

pytestmark = NEEDS_N8N

MOST_STEPS = 5
"""Commands and clicks; to stop the n8n that runs, before it is started again, is one of them."""
PAGE = ROOT / "docs" / "doors" / "n8n.md"
ROUND_S = 70
"""Seconds between two looks of the workflow that follows a job."""
TRIES_S = 20
"""Seconds in which one look is tried."""


def commands() -> list[str]:
    """What a reader types: the `$` lines of the page's first block."""
    [block] = re.findall(r"^## A first answer\n.*?^```console\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture
def n8n(tmp_path: Path) -> Iterator[N8n]:
    (tmp_path / "n8n").mkdir()
    running = N8n(tmp_path / "n8n")
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "server").mkdir()
    with served("plain", make_bench(tmp_path / "server"), tmp_path / "server") as running:
        yield running


def agent(*words: str) -> dict[str, Any]:
    program = str(Path(sys.executable).with_name("fsdp-agent"))
    environment = {name: os.environ[name] for name in ("PATH", "LANG", "HOME") if name in os.environ}
    done = subprocess.run(
        [program, *words, "--json"],
        env=environment | {"PATH": f"{N8N}:{environment['PATH']}"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_the_commands_as_they_stand_lead_to_an_answer(n8n: N8n, tmp_path: Path) -> None:
    prepare, install, again, ask = commands()
    assert len([prepare, install, "stop n8n", again, ask]) <= MOST_STEPS
    assert f"({PAGE.relative_to(ROOT)})" in (ROOT / "README.md").read_text("utf-8")
    for line in commands():
        assert not set(shlex.split(line)[:-1]) & {"&&", "||", "|", ";", "&"}, f"{line} is more than one command"
    checkout(tmp_path / "fsdp-agent")
    port = free_port()
    say(prepare, n8n, tmp_path).wait(PATIENCE_S * 2)
    # the ports of a machine that may have others of both: elsewhere than that, as it stands
    given = f" --url {n8n.url} --server http://127.0.0.1:{port} &"
    serving = say(install.removesuffix(" &") + given, n8n, tmp_path)
    log = tmp_path / "said"
    try:
        n8n.until(lambda: "serving http" in log.read_text() or serving.poll() is not None, "it does not serve")
        assert serving.poll() is None, log.read_text()
        assert "restart n8n" in log.read_text()
        assert "Bearer " not in log.read_text()
        n8n.stop(signal.SIGINT)
        assert again == "n8n start"
        n8n.start()
        here = ask.replace("http://localhost:5678", n8n.url)
        n8n.post("fsdp-ask", {"text": "does FSDP2 need ShardedGradScaler?"})  # until its webhooks are there
        said = subprocess.run(shlex.split(here), capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout
    finally:
        os.killpg(serving.pid, signal.SIGTERM)
        serving.wait(60)
    plan = json.loads(said)
    assert (plan["verdict"], plan["world_size"]) == ("use_fsdp", 16)


def say(line: str, n8n: N8n, folder: Path) -> subprocess.Popen[bytes]:
    words = shlex.split(line.removesuffix(" &"))
    with (folder / "said").open("ab") as log:
        return subprocess.Popen(
            words,
            cwd=folder / "fsdp-agent",
            env=n8n.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def test_installed_by_the_api_used_and_removed(n8n: N8n, server: Served, tmp_path: Path) -> None:
    where = ["--home", str(server.bench.home.root), "--url", n8n.url, "--api-key-file", str(n8n.key())]
    first = agent("n8n", "install", *where, "--server", server.url)
    asked = n8n.post("fsdp-ask", {"text": "Full fine-tune of Llama-3-70B, seq 8192, on 16 H100"})
    assert (asked["verdict"], asked["world_size"]) == ("use_fsdp", 16)
    again = agent("n8n", "install", *where, "--server", server.url, "--approver", str(tmp_path / "token"))
    ids = {each["name"]: each["id"] for each in again["workflows"]}
    assert {each["name"]: each["id"] for each in first["workflows"]}.items() <= ids.items()
    assert sorted(each["name"] for each in n8n.api("credentials")) == ["fsdp approver", "fsdp submitter"]
    assert n8n.post("fsdp-ask", {"text": "does FSDP2 need ShardedGradScaler?"})["covered"] is True

    # (c) the MCP client node, by n8n's own command
    answer = subprocess.run(
        [str(N8N / "n8n"), "execute", f"--id={ids['fsdp over MCP']}", "--rawOutput"],
        env=n8n.environment | {"N8N_RUNNERS_BROKER_PORT": str(free_port())},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert '"covered":true' in answer.stdout.replace(" ", ""), answer.stdout[-2000:] + answer.stderr[-2000:]

    run_id = decided_over_restarts(n8n, server, (tmp_path / "token").read_text().strip())
    told = n8n.post("fsdp-job-done", {"run_id": run_id})
    assert told["run"]["state"] == "done"

    agent("n8n", "remove", *where)
    assert n8n.api("workflows") == n8n.api("credentials") == []
    assert agent("tokens", "list", "--home", str(server.bench.home.root))["tokens"][2:] == []


def decided_over_restarts(n8n: N8n, server: Served, token: str) -> str:
    """(b): put forward, both ends killed and started again, decided by webhook, followed with no token in n8n."""
    server.bench.switch("hold")
    pending = n8n.post("fsdp-run", {"key": "over-restarts", "request": server.bench.request})
    assert pending["status"] == "needs_approval"
    # killed before it waits, n8n forgets an execution, as the page says
    n8n.until(lambda: n8n.executions() == ["waiting"], "it does not come to wait")
    n8n.stop(signal.SIGKILL)
    server.kill()
    server.start()
    n8n.start()
    said = {name: pending[name] for name in ("launch_hash", "thread_id")} | {"decision": "approve"}
    assert server.bench.starts == []
    n8n.post("fsdp-decide", said, token="a-strangers", expect=403)
    decided = n8n.post("fsdp-decide", said, token=token)
    assert decided["phase"] == "running"
    assert n8n.executions() == ["waiting"]
    assert n8n.stores(pending["launch_hash"])
    assert not n8n.stores(token)
    server.bench.switch("hold", False)
    server.bench.wait(decided["run_id"])
    n8n.until(lambda: n8n.executions() == [], "the job is followed to no end", PATIENCE_S + 2 * ROUND_S)
    return str(decided["run_id"])


def test_a_server_that_is_away_longer_than_it_is_tried_ends_no_following(
    n8n: N8n, server: Served, tmp_path: Path
) -> None:
    where = ["--home", str(server.bench.home.root), "--url", n8n.url, "--api-key-file", str(n8n.key())]
    agent("n8n", "install", *where, "--server", server.url, "--approver", str(tmp_path / "token"))
    pending = n8n.post("fsdp-run", {"key": "away", "request": server.bench.request})
    server.kill()
    said = {"launch_hash": pending["launch_hash"], "thread_id": pending["thread_id"], "decision": "approve"}
    # whoever decides is told that it did not arrive
    n8n.post("fsdp-decide", said, token=(tmp_path / "token").read_text().strip(), expect=500)
    agent("approve", pending["launch_hash"], "--home", str(server.bench.home.root))
    looked: list[str] = []

    def was_tried_and_waits_again() -> bool:
        [state] = n8n.executions()
        if not looked or looked[-1] != state:
            looked.append(state)
        return looked[-3:] == ["waiting", "running", "waiting"]

    n8n.until(was_tried_and_waits_again, "no look was tried and given up", PATIENCE_S + ROUND_S + TRIES_S)
    server.start()
    n8n.until(lambda: n8n.executions() == [], "the job is followed to no end", PATIENCE_S + 2 * ROUND_S)
    with server.http(server.token("approve")) as http:
        assert http.get(f"/fsdp/v1/threads/{pending['thread_id']}").json()["phase"] == "done"
