"""The LangGraph server as its own clients see it: the SDK, and agent to agent (A2A)."""

import asyncio
import contextlib
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client

from tests.flows.servers import Served, served

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]

PATIENCE_S = 120


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, bench_in: Callable[[Path], Any]) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("langgraph")
    with served("langgraph", bench_in(folder), folder) as running:
        yield running


def client_of(server: Served, right: str = "submit") -> Any:
    return get_client(url=server.url, headers={"Authorization": f"Bearer {server.token(right)}"})


async def until(look: Callable[[], Any]) -> Any:
    limit = time.monotonic() + PATIENCE_S
    while not (seen := await look()):
        assert time.monotonic() < limit, "waited too long"
        await asyncio.sleep(0.3)
    return seen


def test_a_thread_of_the_sdk_goes_on_by_itself_when_its_run_ends(server: Served) -> None:
    async def talk() -> None:
        mine, approver = client_of(server), client_of(server, "approve")
        thread_id = (await mine.threads.create())["thread_id"]
        await mine.runs.wait(thread_id, "fsdp", input={"request": server.bench.request})
        [asked] = (await mine.threads.get_state(thread_id))["interrupts"]
        decision = {"decisions": [{"type": "approve", "launch_hash": asked["value"]["launch_hash"]}]}
        await approver.runs.wait(thread_id, "fsdp", command={"resume": {asked["id"]: decision}})

        async def done() -> bool:
            return (await mine.threads.get_state(thread_id))["values"]["phase"] == "done"

        async def idle() -> bool:
            return (await mine.threads.get(thread_id))["status"] == "idle"

        await until(done)
        await until(idle)
        state = await mine.threads.get_state(thread_id)
        assert (state["values"]["report"]["loss_first"], state["values"]["report"]["loss_last"]) == (8.0, 2.0)
        assert server.bench.starts.count(state["values"]["run_id"]) == 1

    asyncio.run(talk())


def test_a_thread_is_its_makers(server: Served) -> None:
    from graph.callers import Tokens

    token = Tokens(server.bench.home).add("stranger", "submit")

    async def talk() -> None:
        mine = client_of(server)
        stranger = get_client(url=server.url, headers={"Authorization": f"Bearer {token}"})
        thread_id = (await mine.threads.create(metadata={"owner": "stranger"}))["thread_id"]
        for attempt in (
            lambda: stranger.threads.get(thread_id),
            lambda: stranger.threads.get_state(thread_id),
            lambda: stranger.threads.get_history(thread_id),
            lambda: stranger.runs.list(thread_id),
            lambda: stranger.runs.wait(thread_id, "fsdp", input={"messages": []}),
            lambda: stranger.threads.update(thread_id, metadata={"x": 1}),
            lambda: mine.threads.update(thread_id, metadata={"owner": "stranger"}),
            lambda: mine.threads.delete(thread_id),
            lambda: mine.runs.wait(
                thread_id, "fsdp", input={"request": {"intent": "review", "paths": ["/etc/hostname"]}}
            ),
            lambda: mine.runs.wait(thread_id, "fsdp", input={"messages": []}, context={"interpreter": "/bin/sh"}),
            lambda: mine.assistants.create("fsdp"),
            lambda: stranger.store.put_item(("x",), "k", {"v": 1}),
            lambda: stranger.store.search_items(("x",)),
            lambda: stranger.store.search_items(None),
            lambda: stranger.crons.search(),
        ):
            with pytest.raises(Exception) as refused:
                await attempt()
            assert refused.value.response.status_code in (403, 404), attempt
        assert await stranger.threads.search() == []
        assert [found["thread_id"] for found in await mine.threads.search(metadata={"owner": "submitter"})]
        assert thread_id in {
            found["thread_id"] for found in await client_of(server, "approve").threads.search(limit=99)
        }

    asyncio.run(talk())


def test_agent_to_agent_the_question_comes_back_and_an_approver_answers_it(server: Served) -> None:
    with server.http() as http, server.http(server.token("approve")) as approver:
        [assistant] = http.post("/assistants/search", json={"graph_id": "fsdp"}).json()
        path = f"/a2a/{assistant['assistant_id']}"

        def send(caller: Any, parts: list[dict[str, Any]], **place: str) -> dict[str, Any]:
            message = {"role": "user", "messageId": str(uuid.uuid4()), "parts": parts, **place}
            call = {"jsonrpc": "2.0", "id": "1", "method": "message/send", "params": {"message": message}}
            answer = caller.post(path, json=call)
            assert answer.status_code == 200, answer.text
            return answer.json()  # type: ignore[no-any-return]

        before = list(server.bench.starts)
        text = "Run the attached request."
        first = send(
            http, [{"kind": "text", "text": text}, {"kind": "data", "data": {"request": server.bench.request}}]
        )
        assert "result" in first, json.dumps(first)[:2000]
        task = first["result"]
        assert "input" in task["status"]["state"].lower(), task["status"]
        place = {"taskId": task["id"], "contextId": task["contextId"]}

        def state() -> dict[str, Any]:
            return http.get(f"/threads/{task['contextId']}/state").json()  # type: ignore[no-any-return]

        def approve(caller: Any) -> None:
            # an answer that decides nothing is followed by a question of its own
            [asked] = state()["interrupts"]
            said = {"decisions": [{"type": "approve", "launch_hash": asked["value"]["launch_hash"]}]}
            send(caller, [{"kind": "data", "data": {"resume": {asked["id"]: said}}}], **place)

        approve(http)
        assert state()["values"]["phase"] == "awaiting_approval"
        assert server.bench.starts == before
        approve(approver)
        limit = time.monotonic() + PATIENCE_S
        while state()["values"]["phase"] != "done":
            assert time.monotonic() < limit
            time.sleep(0.3)


def test_no_request_makes_the_server_call_an_address_of_its_choice(server: Served) -> None:
    called: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            called.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_args: Any) -> None:
            pass

    listener = HTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{listener.server_address[1]}/stolen"

    async def talk() -> None:
        mine = client_of(server)
        thread_id = (await mine.threads.create())["thread_id"]
        text = {"messages": [{"role": "user", "content": "does FSDP2 need ShardedGradScaler?"}]}
        with contextlib.suppress(httpx.HTTPStatusError):
            await mine.runs.wait(thread_id, "fsdp", input=text, webhook=url)
        await asyncio.sleep(3)

    try:
        asyncio.run(talk())
    finally:
        listener.shutdown()
        listener.server_close()
    assert called == []
