"""Who is let in, as whom, and what the door refuses; the server's own dispatch is tested in flows."""

import asyncio
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph_sdk import Auth

from contracts.canonical import seal_holds
from graph import auth
from graph.callers import Tokens
from graph.owners import Owners
from runners import Home

ROOT = Path(__file__).parents[3]
LOOPBACK = {b"host": b"127.0.0.1:2024"}
SUBMITTER = SimpleNamespace(permissions=[], user=SimpleNamespace(identity="anonymous"))
APPROVER = SimpleNamespace(permissions=[auth.APPROVE], user=SimpleNamespace(identity="approver"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("FSDP_AGENT_HOME", str(tmp_path))
    return Home(tmp_path)


def let_in(headers: dict[bytes, bytes]) -> dict[str, Any]:
    return asyncio.run(auth.authenticate(headers))


def refusal(coroutine: Any) -> int:
    with pytest.raises(Auth.exceptions.HTTPException) as refused:
        asyncio.run(coroutine)
    return refused.value.status_code


def bearer(home: Home, right: str = "submit") -> dict[bytes, bytes]:
    return {b"authorization": b"Bearer " + home.secret(right).hex().encode()}


def test_a_known_token_submits_and_an_approvers_decides(home: Home) -> None:
    assert let_in(bearer(home)) == {"identity": "submitter", "permissions": [], "is_authenticated": True}
    assert let_in(bearer(home, "approve"))["permissions"] == [auth.APPROVE]
    secret = home.secret("approve").hex().encode()
    assert let_in({b"x-fsdp-approver": secret})["permissions"] == [auth.APPROVE]
    assert let_in(bearer(home) | {b"x-fsdp-approver": secret})["permissions"] == [auth.APPROVE]
    assert let_in({b"x-api-key": home.secret("submit").hex().encode()})["identity"] == "submitter"


def test_a_token_that_was_made_has_its_bearers_name(home: Home) -> None:
    token = Tokens(home).add("team-a", "submit")
    assert let_in({b"authorization": f"bearer {token}".encode()})["identity"] == "team-a"


@pytest.mark.parametrize("headers", [{}, {b"authorization": b"Basic eA=="}, {b"authorization": b"Bearer "}, LOOPBACK])
def test_without_a_token_nobody_is_let_in(headers: dict) -> None:
    assert refusal(auth.authenticate(headers)) == 401


@pytest.mark.parametrize("path", ["/ok", "/fsdp/health"])
def test_health_is_open(path: str) -> None:
    assert asyncio.run(auth.authenticate({}, path))["identity"] == "nobody"


@pytest.mark.parametrize("given", [b"", b"00", b"\xe6", b"0" * 64])
def test_a_wrong_secret_is_refused_rather_than_overlooked(home: Home, given: bytes) -> None:
    assert refusal(auth.authenticate(bearer(home) | {b"x-fsdp-approver": given})) == 401


def test_the_submitters_secret_approves_nothing(home: Home) -> None:
    given = home.secret("submit").hex().encode()
    assert let_in({b"x-fsdp-approver": given})["permissions"] == []


@pytest.mark.parametrize("origin", [b"https://evil.example", b"null", b"http://localhost.evil.example", b""])
def test_a_foreign_origin_is_refused_even_with_the_secret(home: Home, origin: bytes) -> None:
    secret = home.secret("approve").hex().encode()
    assert refusal(auth.authenticate(LOOPBACK | {b"origin": origin, b"x-fsdp-approver": secret})) == 403


@pytest.mark.parametrize("origin", [b"http://localhost:3000", b"http://127.0.0.1:5173", b"https://smith.langchain.com"])
def test_origins_of_the_list_are_let_in(home: Home, origin: bytes) -> None:
    assert let_in(bearer(home) | {b"origin": origin})["identity"] == "submitter"


def test_the_list_of_origins_is_the_servers() -> None:
    cors = json.loads((ROOT / "langgraph.json").read_text())["http"]["cors"]
    assert cors["allow_origins"] == [auth.STUDIO_ORIGIN]
    assert cors["allow_origin_regex"] == auth.LOOPBACK_ORIGIN
    assert auth.HEADER in cors["allow_headers"]
    assert "*" not in json.dumps(cors).replace(re.escape(".*"), "")


def test_the_server_calls_no_address_that_a_caller_names() -> None:
    http = json.loads((ROOT / "langgraph.json").read_text())["http"]
    assert http["disable_webhooks"] is True
    assert http["disable_mcp"] is True, "the built-in MCP route cannot resume; ours is at /fsdp/mcp"
    assert http["enable_custom_route_auth"] is True


@pytest.mark.parametrize("command", [{"goto": "execute"}, {"update": {"phase": "running"}}])
def test_a_submitter_cannot_steer_past_the_nodes(command: dict) -> None:
    assert refusal(auth.on_create_run(ctx=SUBMITTER, value={"kwargs": {"command": command}})) == 403


def test_a_submitters_decision_passes_unsealed() -> None:
    value = {"kwargs": {"command": {"resume": {"decisions": [{"type": "approve"}]}}}, "thread_id": "t-1"}
    asyncio.run(auth.on_create_run(ctx=SUBMITTER, value=value))
    assert value["kwargs"]["command"]["resume"] == {"decisions": [{"type": "approve"}]}


def test_an_approvers_decision_is_sealed_for_the_thread(home: Home) -> None:
    named = {"decisions": [{"type": "approve", "launch_hash": "c" * 64}]}
    value = {"kwargs": {"command": {"resume": named}}, "thread_id": "t-1"}
    asyncio.run(auth.on_create_run(ctx=APPROVER, value=value))
    grant = value["kwargs"]["command"]["resume"]["grant"]
    assert (grant["thread_id"], grant["launch_hash"]) == ("t-1", "c" * 64)
    assert seal_holds(grant, home.secret("approve"))


BARE = {"decisions": [{"type": "approve"}]}
EDIT = {"decisions": [{"type": "edit", "launch_hash": "c" * 64}]}


@pytest.mark.parametrize("resume", [BARE, {"a" * 32: BARE}, EDIT])
def test_an_edit_and_a_decision_on_no_launch_are_refused_at_the_door(resume: dict) -> None:
    value = {"kwargs": {"command": {"resume": resume}}, "thread_id": "t-1"}
    assert refusal(auth.on_create_run(ctx=APPROVER, value=value)) == 422


@pytest.mark.parametrize("value", [{"thread_id": "t-1"}, {"thread_ids": ["t-1"]}, {"thread_id": "t-1", "run_id": "r"}])
def test_a_submitter_deletes_nothing(value: dict) -> None:
    assert refusal(auth.on_delete_thread(ctx=SUBMITTER, value=value)) == 403
    asyncio.run(auth.on_delete_thread(ctx=APPROVER, value=value))


def test_a_submitter_stops_a_run_but_does_not_roll_it_back() -> None:
    stop = {"thread_id": "t-1", "metadata": {"run_ids": ["r"]}, "action": "interrupt"}
    asyncio.run(auth.on_update_thread(ctx=SUBMITTER, value=stop))
    assert refusal(auth.on_update_thread(ctx=SUBMITTER, value=stop | {"action": "rollback"})) == 403


@pytest.mark.parametrize("who", [SUBMITTER, APPROVER])
def test_nobody_brings_another_home(who: Any, home: Home) -> None:
    elsewhere = {"kwargs": {"context": {"home": "/elsewhere"}}}
    assert refusal(auth.on_create_run(ctx=who, value=elsewhere)) == 403
    assert refusal(auth.on_create_assistant(ctx=who, value={"context": {"home": "/elsewhere"}})) == 403
    stored = {"config": {"configurable": {"home": "/elsewhere"}}}
    assert refusal(auth.on_update_assistant(ctx=who, value=stored)) == 403
    asyncio.run(auth.on_create_run(ctx=who, value={"kwargs": {"context": {"home": str(home.root)}}}))


def test_the_secret_is_not_left_in_a_runs_configuration() -> None:
    value = {"kwargs": {"config": {"configurable": {auth.HEADER: "abc", "x": 1}}, "context": {auth.HEADER: "abc"}}}
    asyncio.run(auth.on_create_run(ctx=APPROVER, value=value))
    assert value["kwargs"] == {"config": {"configurable": {"x": 1}}, "context": {}}


def test_state_is_written_by_nodes_and_metadata_by_the_owner() -> None:
    assert refusal(auth.on_update_thread(ctx=SUBMITTER, value={"thread_id": "t-1"})) == 403
    assert asyncio.run(auth.on_update_thread(ctx=SUBMITTER, value={"thread_id": "t-1", "metadata": {}})) == OWN
    taken = {"thread_id": "t-1", "metadata": {"owner": "anonymous"}}
    assert refusal(auth.on_update_thread(ctx=SUBMITTER, value=taken)) == 403


OWN = {"owner": "anonymous"}


def test_a_submitter_sees_threads_of_its_own_and_an_approver_all() -> None:
    for handler in (auth.on_read_thread, auth.on_search_threads, auth.on_create_run):
        assert asyncio.run(handler(ctx=SUBMITTER, value={})) == OWN
        assert asyncio.run(handler(ctx=APPROVER, value={})) is None


def test_a_thread_is_its_makers_whatever_he_says(home: Home) -> None:
    value = {"thread_id": "11111111-2222-3333-4444-555555555555", "metadata": {"owner": "approver"}}
    assert asyncio.run(auth.on_create_thread(ctx=SUBMITTER, value=value)) == OWN
    assert value["metadata"] == OWN
    assert Owners(home).owner(value["thread_id"]) == "anonymous"


def test_what_no_rule_allows_is_refused() -> None:
    store = Auth.types.AuthContext(permissions=APPROVER.permissions, user=APPROVER.user, resource="store", action="get")
    with pytest.raises(Auth.exceptions.HTTPException, match="store") as refused:
        asyncio.run(auth.on_anything_else(ctx=store, value={}))
    assert refused.value.status_code == 403


def test_assistants_are_an_approvers_to_change(home: Home) -> None:
    for handler in (auth.on_create_assistant, auth.on_update_assistant, auth.on_assistants):
        assert refusal(handler(ctx=SUBMITTER, value={})) == 403
        asyncio.run(handler(ctx=APPROVER, value={}))
    for handler in (auth.on_read_assistant, auth.on_search_assistants):
        asyncio.run(handler(ctx=SUBMITTER, value={}))


@pytest.mark.parametrize(
    "work",
    [
        {"input": {"request": {"intent": "review", "paths": ["/etc/hostname"]}}},
        {"input": {"request": {"intent": "run", "script": {"path": "/etc/hostname"}}}},
        {"input": {"request": {"interpreter": "/bin/sh"}}},
        {"context": {"interpreter": "/bin/sh"}},
        {"config": {"configurable": {"interpreter": "/bin/sh"}}},
    ],
)
def test_a_submitters_request_is_kept_to_the_roots_here_too(home: Home, work: dict) -> None:
    assert refusal(auth.on_create_run(ctx=SUBMITTER, value={"kwargs": work})) == 403
    asyncio.run(auth.on_create_run(ctx=APPROVER, value={"kwargs": work}))
