"""The MCP door with real clients, over stdio and over HTTP: nothing that a client says starts a job by itself."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitRequestParams, ElicitResult

from interfaces.doors.small import LIMIT_CHARACTERS
from interfaces.mcp.tools import TOOLS
from tests.flows.servers import Served, served

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]

FSDP_AGENT = str(Path(sys.executable).with_name("fsdp-agent"))
Talk = Callable[[ClientSession], Awaitable[None]]


def over_stdio(bench: Any, talk: Talk, *, owner: str = "", person: str | None = None) -> list[str]:
    """Talk to a server over stdio, started in the bench's folder; returns the questions that were put to the person."""
    config = bench.folder / "owner.toml"
    config.write_text(f"{owner}\n[server]\ninterpreters = [{str(bench.folder / 'bin' / 'python')!r}]\n")
    config.chmod(0o600)
    asked: list[str] = []

    async def ask(_context: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        assert person is not None
        return ElicitResult(action=person, content={} if person == "accept" else None)  # type: ignore[arg-type]

    async def run() -> None:
        server = StdioServerParameters(
            command=FSDP_AGENT,
            args=["mcp", "--home", str(bench.home.root)],
            cwd=bench.folder,
            env={"PATH": os.environ["PATH"], "FSDP_AGENT_CONFIG": str(config)},
        )
        async with (
            stdio_client(server) as (reads, writes),
            ClientSession(reads, writes, elicitation_callback=ask if person else None) as session,
        ):
            await session.initialize()
            await talk(session)

    asyncio.run(run())
    return asked


async def use(session: ClientSession, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its answer, which is one text of JSON that fits."""
    result = await session.call_tool(tool, arguments)
    assert not result.is_error
    assert result.structured_content is None
    [content] = result.content
    assert len(content.text) <= LIMIT_CHARACTERS, content.text[:200]
    return json.loads(content.text)  # type: ignore[no-any-return]


def test_the_tools_and_the_questions(bench: Any) -> None:
    async def talk(session: ClientSession) -> None:
        listed = await session.list_tools()
        assert {tool.name for tool in listed.tools} == set(TOOLS)
        capabilities = session.server_capabilities
        assert capabilities is not None
        assert capabilities.resources is None
        assert capabilities.prompts is None
        assert (await use(session, "fsdp_assess", text="Byg et n8n workflow til Slack"))["verdict"] == "out_of_scope"
        assert (await use(session, "fsdp_ask", question="does FSDP2 need ShardedGradScaler?"))["covered"] is True
        plan = await use(session, "fsdp_plan", model="Llama-3-70B", gpus=16, gpu="H100", seq_len=8192)
        assert plan["verdict"] == "use_fsdp"
        # in a row, as a client counts errors: every one is an answer
        for tool, arguments, code in (
            ("fsdp_diagnose", {"paths": ["/etc/passwd"]}, "path_outside_roots"),
            ("fsdp_status", {"id": "r-0123456789ab"}, "unknown_run"),
            ("fsdp_status", {"id": "../../etc"}, "input_invalid"),
            ("fsdp_plan", {"gpus": "many"}, "input_invalid"),
            ("fsdp_approve", {"launch_hash": "a" * 64}, "unknown_tool"),
        ):
            answer = await use(session, tool, **arguments)
            assert (answer["ok"], answer["error"]["code"]) == (False, code)

    over_stdio(bench, talk)


def test_a_run_is_put_forward_and_never_approved_by_a_tool(bench: Any) -> None:
    async def talk(session: ClientSession) -> None:
        stand = await use(session, "fsdp_start_run", request=bench.request, key="k")
        assert stand["status"] == "needs_approval"
        assert len(stand["launch_hash"]) == 64
        again = await use(session, "fsdp_start_run", request=bench.request, key="k")
        assert again["thread_id"] == stand["thread_id"]
        assert (await use(session, "fsdp_status", id=stand["thread_id"]))["status"] == "needs_approval"
        await asyncio.sleep(0.5)
        assert bench.starts == []

    # the client could ask a person, but the owner's configuration does not allow that way
    assert over_stdio(bench, talk, person="accept") == []


@pytest.mark.parametrize("said", ["accept", "decline", "cancel"])
def test_elicitation_where_the_owner_allows_it(bench: Any, said: str) -> None:
    seen: dict[str, Any] = {}

    async def talk(session: ClientSession) -> None:
        request = bench.request | {"env_passed": ["SECRET_NAME"]}
        seen.update(await use(session, "fsdp_start_run", request=request, key="k"))
        if said == "accept":
            assert (await use(session, "fsdp_read", id=seen["run_id"], what="events"))["run_id"] == seen["run_id"]

    [question] = over_stdio(bench, talk, owner="[approval]\nelicitation = true", person=said)
    assert seen["launch_hash"] in question
    for entry in ('variables passed on: ["SECRET_NAME"]', "config.json", "train.jsonl", "limits: {"):
        assert entry in question
    if said == "accept":
        assert bench.wait(seen["run_id"]).state == "done"
        assert bench.starts == [seen["run_id"]]
    else:
        assert seen["status"] == "needs_approval"
        assert bench.starts == []


def test_what_the_server_starts_may_not_approve(bench: Any) -> None:
    import subprocess

    for command in (["approve", "a" * 64], ["tokens", "add", "me", "--approver"], ["tokens", "rotate", "approver"]):
        done = subprocess.run(
            [FSDP_AGENT, *command, "--home", str(bench.home.root), "--json"],
            env={"PATH": os.environ["PATH"], "FSDP_AGENT_UNDER_MCP": "1"},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (5, "no_person")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, bench_in: Callable[[Path], Any]) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("mcp")
    with served("plain", bench_in(folder), folder) as running:
        yield running


def over_http(server: Served, token: str, talk: Talk) -> None:
    async def run() -> None:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx.AsyncClient(headers=headers, timeout=60) as http,
            streamable_http_client(f"{server.url}/fsdp/mcp", http_client=http) as (reads, writes, *_),
            ClientSession(reads, writes) as session,
        ):
            await session.initialize()
            await talk(session)

    asyncio.run(run())


def test_over_http_a_caller_sees_its_own(server: Served) -> None:
    from graph.callers import Tokens

    threads: list[str] = []

    async def mine(session: ClientSession) -> None:
        assert len((await session.list_tools()).tools) == len(TOOLS)
        stand = await use(session, "fsdp_start_run", request=server.bench.request, key="k")
        assert stand["status"] == "needs_approval"
        threads.append(stand["thread_id"])

    async def others(session: ClientSession) -> None:
        answer = await use(session, "fsdp_status", id=threads[0])
        assert answer["error"]["code"] == "unknown_thread"

    over_http(server, server.token(), mine)
    over_http(server, Tokens(server.bench.home).add("others", "submit"), others)
    # an approver's token lets no tool approve either
    over_http(server, server.token("approve"), mine)
    assert server.bench.starts == []


def test_over_http_nobody_listens_to_a_stream_that_will_never_speak(server: Served) -> None:
    with server.http() as http:
        assert http.get("/fsdp/mcp", headers={"Accept": "text/event-stream"}).status_code == 405


def test_over_http_without_a_token_nobody_is_heard(server: Served) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with server.http(None) as http:
        assert http.post("/fsdp/mcp", json=hello).status_code == 401


STUDY = {"question": "Is LoRA or full fine-tuning of Llama-3-8B the better choice on 8 A100 80GB?", "study": True}


async def rested(session: ClientSession, found: dict[str, Any]) -> dict[str, Any]:
    """Look at a study again until it has come to rest."""
    while found["status"] == "answering":
        assert found["progress"]
        await asyncio.sleep(0.5)
        found = await use(session, "fsdp_status", id=found["thread_id"])
    return found


def test_a_study_tells_its_progress_and_can_be_paged_through(bench: Any) -> None:
    told: list[str | None] = []

    async def listen(_progress: float, _total: float | None, message: str | None) -> None:
        told.append(message)

    async def talk(session: ClientSession) -> None:
        given = STUDY | {"request": {"dry_runs": False}}
        called = await session.call_tool("fsdp_ask", given, progress_callback=listen)
        [content] = called.content
        found = await rested(session, json.loads(content.text))
        assert found["status"] == "done"
        assert found["conclusion"][0]["text"]
        page = await use(session, "fsdp_status", id=found["thread_id"], part="parts")
        assert {part["kind"] for part in page["parts"]} <= {"claim", "estimate"}
        report = await use(session, "fsdp_read", id=found["thread_id"], what="report")
        assert report["report"].startswith("# FSDP report")
        again = await rested(session, await use(session, "fsdp_ask", **given))
        assert again["thread_id"] == found["thread_id"]

    over_stdio(bench, talk)
    assert "taking the question apart" in told


def test_the_trials_of_a_study_wait_for_a_person(bench: Any) -> None:
    async def talk(session: ClientSession) -> None:
        asked = bench.request
        given = {
            "question": "Is full sharding or reshard_after_forward=False faster here? Measure it.",
            "study": True,
            "request": {"model": asked["model"], "data": asked["data"], "interpreter": asked["interpreter"],
                        "hardware": {"device": "cpu", "ranks": 2}, "recipe": {"seq_len": 16}},
        }  # fmt: skip
        found = await rested(session, await use(session, "fsdp_ask", **given))
        assert found["status"] == "needs_approval", found
        assert found["launch_hash"] in found["approve_with"]
        page = await use(session, "fsdp_status", id=found["thread_id"], part="launches")
        assert len(page["launches"]) >= 2
        assert bench.starts == []

    assert over_stdio(bench, talk) == []
