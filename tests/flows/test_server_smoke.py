"""The real LangGraph server on loopback, driven by its SDK: who may do what, and a job from end to end."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
START_S = 180
FOREIGN = "https://evil.example"


@dataclass(frozen=True)
class Server:
    """A running server, its log and the home folder that it works in."""

    url: str
    bench: Any
    log: Path

    def client(self, secret: str | None = None, **headers: str) -> Any:
        mine = {"X-FSDP-Approver": secret} if secret else self.submitter
        return get_client(url=self.url, headers=mine | headers)

    @property
    def submitter(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.bench.home.secret('submit').hex()}"}

    @property
    def secret(self) -> str:
        return self.bench.home.secret("approve").hex()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, bench_in: Callable[[Path], Any]) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    bench, port, log = bench_in(folder), free_port(), folder / "server.log"
    owner = folder / "owner.toml"
    python = str(bench.folder / "bin" / "python")
    owner.write_text(f"[server]\nroots = [{str(bench.folder)!r}]\ninterpreters = [{python!r}]\n")
    owner.chmod(0o600)
    # PYTHONPATH may name a tree with packages of our names; the server appends, so those would win
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
        "FSDP_AGENT_HOME": str(bench.home.root),
        "FSDP_AGENT_CONFIG": str(owner),
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGGRAPH_STRICT_MSGPACK": "true",
    }
    call = [str(Path(sys.executable).with_name("langgraph")), "dev", "--config", str(ROOT / "langgraph.json")]
    call += ["--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", str(port), "--n-jobs-per-worker", "10"]
    with log.open("wb") as output:
        # in a folder of its own: the server keeps a folder of state where it is started
        process = subprocess.Popen(
            call, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_ready(url, process, log)
        yield Server(url, bench, log)
    finally:
        bench.switch("hold", False)
        stop(process)


def wait_until_ready(url: str, process: subprocess.Popen, log: Path) -> None:
    limit = time.monotonic() + START_S
    while time.monotonic() < limit:
        assert process.poll() is None, log.read_text()
        try:
            if httpx.get(f"{url}/ok", timeout=2).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    pytest.fail(f"the server did not come up in {START_S} s:\n{log.read_text()}")


def stop(process: subprocess.Popen) -> None:
    for order in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, order)
            process.wait(20)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
        return


async def pending(client: Any, thread_id: str) -> dict[str, Any]:
    state = await client.threads.get_state(thread_id)
    [interrupt] = state["interrupts"]
    return interrupt


async def answer(client: Any, thread_id: str, value: Any) -> dict[str, Any]:
    interrupt = await pending(client, thread_id)
    return await client.runs.wait(thread_id, "fsdp", command={"resume": {interrupt["id"]: value}})


async def asked(server: Server) -> str:
    """Return a thread that waits for approval."""
    client = server.client()
    thread_id = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread_id, "fsdp", input={"request": server.bench.request})
    state = await client.threads.get_state(thread_id)
    assert state["values"]["phase"] == "awaiting_approval"
    return thread_id


APPROVE = {"decisions": [{"type": "approve"}]}


def test_from_a_request_to_the_report(server: Server) -> None:
    asyncio.run(from_a_request_to_the_report(server))


async def from_a_request_to_the_report(server: Server) -> None:
    submitter, approver = server.client(), server.client(server.secret)
    thread_id = await asked(server)
    question = (await pending(submitter, thread_id))["value"]
    assert question["kind"] == "approval"
    assert question["review_configs"][0]["allowed_decisions"] == ["approve", "reject"]

    await answer(submitter, thread_id, APPROVE)
    state = await submitter.threads.get_state(thread_id)
    assert state["values"]["phase"] == "awaiting_approval"
    assert "approver" in state["interrupts"][0]["value"]["notice"]
    assert server.bench.starts == []

    await answer(approver, thread_id, APPROVE)
    job = (await pending(submitter, thread_id))["value"]
    assert job["kind"] == "job"
    ended = await asyncio.to_thread(server.bench.wait, job["run_id"])
    assert ended.state == "done"
    out = await answer(submitter, thread_id, {"state": "done"})
    assert out["phase"] == "done"
    values = (await submitter.threads.get_state(thread_id))["values"]
    assert values["approval"]["approver"] == "approver"
    assert values["approval"]["thread_id"] == thread_id
    assert Path(values["report"]["path"]).read_text().count(question["launch_hash"]) >= 1
    assert (values["report"]["loss_first"], values["report"]["loss_last"]) == (8.0, 2.0)
    assert server.bench.starts == [job["run_id"]]


def test_the_secret_appears_nowhere_that_a_submitter_can_read(server: Server) -> None:
    async def read() -> str:
        submitter, approver = server.client(), server.client(server.secret)
        thread_id = await asked(server)
        await answer(approver, thread_id, {"decisions": [{"type": "reject", "message": "not today"}]})
        seen = [
            await submitter.threads.get(thread_id),
            await submitter.threads.get_state(thread_id),
            await submitter.threads.get_history(thread_id),
            await submitter.runs.list(thread_id),
            await submitter.assistants.search(),
        ]
        assert seen[1]["values"]["phase"] == "declined"
        return json.dumps(seen)

    assert server.secret not in asyncio.run(read())
    assert server.secret not in server.log.read_text()
    for file in server.bench.home.root.rglob("*"):
        if file.is_file() and file.parent.name != "secrets":
            assert server.secret.encode() not in file.read_bytes(), file


def test_a_foreign_origin_cannot_approve(server: Server) -> None:
    async def attack() -> None:
        thread_id = await asked(server)
        interrupt = await pending(server.client(), thread_id)
        body = {"assistant_id": "fsdp", "command": {"resume": {interrupt["id"]: APPROVE}}}
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
            for path in (f"/threads/{thread_id}/runs/wait", f"/threads/{thread_id}/runs", "/threads"):
                # a page that has somehow learnt the secret, and one that has not
                knowing = ({}, server.submitter, {"X-FSDP-Approver": server.secret})
                for headers in ({"Origin": FOREIGN} | known for known in knowing):
                    refused = await http.post(path, json=body, headers=headers)
                    assert refused.status_code == 403
                    assert "access-control-allow-origin" not in refused.headers
                ask = {"Origin": FOREIGN, "Access-Control-Request-Method": "POST"}
                for wanted in ("content-type", "content-type,x-fsdp-approver"):
                    preflight = await http.options(path, headers=ask | {"Access-Control-Request-Headers": wanted})
                    assert preflight.status_code == 403
                    assert "access-control-allow-origin" not in preflight.headers
            # a "simple" request needs no preflight; it carries its origin all the same
            simple = {"Origin": "null", "Content-Type": "text/plain"} | server.submitter
            assert (await http.post("/threads", content=json.dumps({}), headers=simple)).status_code == 403
            rebound = await http.post("/threads", json={}, headers={"Host": "evil.example:2024"} | server.submitter)
            assert rebound.status_code == 403
            studio = await http.options(
                "/threads",
                headers={"Origin": "https://smith.langchain.com", "Access-Control-Request-Method": "POST"},
            )
            assert studio.headers["access-control-allow-origin"] == "https://smith.langchain.com"
        assert (await pending(server.client(), thread_id))["id"] == interrupt["id"]

    before = list(server.bench.starts)
    asyncio.run(attack())
    assert server.bench.starts == before


def test_a_submitter_cannot_get_around_the_question(server: Server) -> None:
    async def attack() -> None:
        client = server.client()
        thread_id = await asked(server)
        question = await pending(client, thread_id)
        forged = server.bench.decision(question["value"]["launch_hash"], key=b"\1" * 32)
        studio = server.client(**{"x-auth-scheme": "langsmith"})
        for caller, value in ((client, forged), (client, {"grant": {}}), (client, "approve"), (studio, APPROVE)):
            await answer(caller, thread_id, value)
            assert (await pending(client, thread_id))["value"]["notice"]
        approved = {"phase": "running", "approval": forged}
        for attempt in (
            lambda: client.runs.wait(thread_id, "fsdp", command={"update": approved}),
            lambda: client.runs.wait(thread_id, "fsdp", command={"goto": "execute"}),
            lambda: client.runs.wait(thread_id, "fsdp", input={"request": None}, context={"home": "/tmp"}),
            lambda: client.threads.update_state(thread_id, approved, as_node="approve"),
            lambda: client.assistants.create("fsdp", context={"home": "/tmp"}),
            lambda: client.crons.create_for_thread(thread_id, "fsdp", schedule="* * * * *"),
            lambda: server.client("0" * 64).threads.create(),
        ):
            with pytest.raises(httpx.HTTPStatusError) as refused:
                await attempt()
            assert refused.value.response.status_code in (401, 403)
        # keys that are none of the input's are not read
        await client.runs.wait(thread_id, "fsdp", input={"request": None, **approved})
        state = await client.threads.get_state(thread_id)
        assert state["values"]["phase"] == "awaiting_approval"
        assert state["values"].get("approval") is None

    before = list(server.bench.starts)
    asyncio.run(attack())
    assert server.bench.starts == before


def test_a_chat_message_and_the_schemas(server: Server) -> None:
    async def talk() -> None:
        client = server.client()
        thread_id = (await client.threads.create())["thread_id"]
        text = {"role": "user", "content": "Full fine-tune of Llama-3-8B, seq 8192, on 8 H100 80GB"}
        out = await client.runs.wait(thread_id, "fsdp", input={"messages": [text]})
        assert out["phase"] == "done"
        assert out["messages"][-1]["type"] == "ai"
        assert "approval" not in out
        [assistant] = await client.assistants.search(graph_id="fsdp")
        schemas = await client.assistants.get_schemas(assistant["assistant_id"])
        assert schemas["context_schema"]["properties"]["home"]["description"]
        assert schemas["input_schema"]["properties"]["messages"]["description"]
        drawn = await client.assistants.get_graph(assistant["assistant_id"])
        assert {"assess", "approve", "watch"} <= {node["id"] for node in drawn["nodes"]}

    asyncio.run(talk())


def test_bait_and_switch(server: Server) -> None:
    """A decision meant for one launch starts no other that has taken its place."""

    async def attack() -> str:
        submitter, approver = server.client(), server.client(server.secret)
        thread_id = await asked(server)
        bait = await pending(submitter, thread_id)
        for attempt in (
            lambda: submitter.threads.delete(thread_id),
            lambda: submitter.threads.prune([thread_id]),
        ):
            with pytest.raises(httpx.HTTPStatusError) as refused:
                await attempt()
            assert refused.value.response.status_code == 403
        [run, *_] = await submitter.runs.list(thread_id)
        with pytest.raises(httpx.HTTPStatusError):
            await submitter.runs.delete(thread_id, run["run_id"])
        assert (await pending(submitter, thread_id))["id"] == bait["id"]

        # had it been deleted all the same, and another request been put in its place
        await approver.threads.delete(thread_id)
        await submitter.threads.create(thread_id=thread_id)
        other = server.bench.request | {"recipe": server.bench.request["recipe"] | {"steps": 3}}
        await submitter.runs.wait(thread_id, "fsdp", input={"request": other})
        switched = await pending(submitter, thread_id)
        assert switched["value"]["launch_hash"] != bait["value"]["launch_hash"]
        for resume in (APPROVE, {bait["id"]: APPROVE}):
            with pytest.raises(httpx.HTTPStatusError) as unnamed:
                await approver.runs.wait(thread_id, "fsdp", command={"resume": resume})
            assert unnamed.value.response.status_code == 422
            assert "name the launch" in unnamed.value.response.text
        for_bait = {"decisions": [{"type": "approve", "launch_hash": bait["value"]["launch_hash"]}]}
        for resume in (for_bait, {switched["id"]: for_bait}):
            await approver.runs.wait(thread_id, "fsdp", command={"resume": resume})
        state = await submitter.threads.get_state(thread_id)
        assert state["values"]["phase"] == "awaiting_approval"
        assert bait["value"]["launch_hash"][:12] in state["interrupts"][0]["value"]["notice"]
        assert server.bench.starts == before

        # as it is typed in Studio: no interrupt id, but the launch by its name
        named = {"decisions": [{"type": "approve", "launch_hash": switched["value"]["launch_hash"]}]}
        await approver.runs.wait(thread_id, "fsdp", command={"resume": named})
        return (await pending(submitter, thread_id))["value"]["run_id"]

    before = list(server.bench.starts)
    run_id = asyncio.run(attack())
    server.bench.wait(run_id)
    assert server.bench.starts == [*before, run_id]
