"""`fsdp-agent n8n install` and `remove`, by a public API over real HTTP and by a stand-in for n8n's command.

The real n8n is in tests/interop/test_n8n.py.
"""

import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graph.callers import Caller, Tokens
from interfaces.agents import MARKS
from interfaces.cli.main import run_command
from runners import Home
from tests.small_n8n import KEY, SmallN8n, small_n8n

NAMES = {"fsdp job done", "fsdp over MCP", "fsdp questions", "fsdp run with approval"}
"""What is installed without the approver."""
WEBHOOKS = NAMES - {"fsdp over MCP"}


@pytest.fixture(autouse=True)
def a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if any(name == mark or (mark.endswith("_") and name.startswith(mark)) for mark in MARKS):
            monkeypatch.delenv(name)


@pytest.fixture
def n8n() -> Iterator[SmallN8n]:
    with small_n8n() as running:
        yield running


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("FSDP_AGENT_HOME", str(tmp_path / "home"))
    return Home(tmp_path / "home")


@pytest.fixture
def call(n8n: SmallN8n, tmp_path: Path, home: Home) -> Callable[..., int]:
    key = tmp_path / "key"
    key.write_text(f"{KEY}\n")
    key.chmod(0o600)
    # what a test gives comes last, and the last of an option counts
    return lambda verb, *words: run_command(["n8n", verb, "--url", n8n.url, "--api-key-file", str(key), *words])


def callers(n8n: SmallN8n, home: Home) -> dict[str, Caller | None]:
    """By name of the credential: whom the server would take its bearer for."""
    tokens = Tokens(home)
    values = {each["name"]: each["data"] for each in n8n.credentials.values()}
    assert {data["name"] for data in values.values()} == {"Authorization"}
    return {name: tokens.caller_of(data["value"].removeprefix("Bearer ")) for name, data in values.items()}


def nodes(n8n: SmallN8n) -> list[dict[str, Any]]:
    return [node for each in n8n.workflows.values() for node in each["nodes"]]


def test_install_publishes_what_has_a_webhook_and_lets_n8n_in(
    n8n: SmallN8n, home: Home, call: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("install") == 0
    assert {each["name"] for each in n8n.workflows.values()} == NAMES
    assert n8n.published() == WEBHOOKS
    assert callers(n8n, home) == {"fsdp submitter": Caller(name="n8n", right="submit")}
    [key] = n8n.credentials
    used = [node["credentials"]["httpHeaderAuth"] for node in nodes(n8n) if "credentials" in node]
    assert used == [{"id": key, "name": "fsdp submitter"}] * len(used)
    said = capsys.readouterr().out
    assert f"curl -s {n8n.url}/webhook/fsdp-ask" in said
    assert all(f"{n8n.url}/webhook/{path}" in said for path in ("fsdp-run", "fsdp-job-done"))


def test_nothing_secret_is_printed_or_left_in_a_file(
    n8n: SmallN8n, home: Home, call: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("install", "--approver", str(tmp_path / "token")) == 0
    assert call("install", "--approver", str(tmp_path / "token"), "--json") == 0
    printed = capsys.readouterr()
    secrets = [KEY] + [each["data"]["value"].removeprefix("Bearer ") for each in n8n.credentials.values()]
    assert len(secrets) == 3
    for secret in secrets:
        assert secret not in printed.out + printed.err
        assert not [path for path in home.root.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_a_second_installation_leaves_one_of_each(n8n: SmallN8n, home: Home, call: Callable[..., int]) -> None:
    assert call("install") == 0
    before, first = sorted(n8n.workflows), next(iter(n8n.credentials.values()))["data"]["value"]
    [broken] = [each for each in n8n.workflows.values() if each["name"] == "fsdp questions"]
    broken["connections"] = {}
    assert call("install", "--server", "http://gpu-box:2024/") == 0
    assert sorted(n8n.workflows) == before
    assert len(n8n.credentials) == 1
    assert [kept.name for kept in Tokens(home).kept()] == ["n8n"]
    assert Tokens(home).caller_of(first.removeprefix("Bearer ")) is None, "the earlier token has ended"
    assert callers(n8n, home)["fsdp submitter"] == Caller(name="n8n", right="submit")
    assert broken["connections"]
    text = json.dumps(list(n8n.workflows.values()))
    assert "http://gpu-box:2024/fsdp/v1" in text
    assert "127.0.0.1:2024" not in text


def test_the_approver_comes_only_when_asked_for(
    n8n: SmallN8n, home: Home, call: Callable[..., int], tmp_path: Path
) -> None:
    assert call("install") == 0
    assert "fsdp-decide" not in json.dumps(list(n8n.workflows.values()))
    for _ in range(2):  # again with the file there
        assert call("install", "--approver", str(tmp_path / "token")) == 0
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600
    held = (tmp_path / "token").read_text().strip()
    assert f"Bearer {held}" in [each["data"]["value"] for each in n8n.credentials.values()]
    assert callers(n8n, home) == {
        "fsdp submitter": Caller(name="n8n", right="submit"),
        "fsdp approver": Caller(name="n8n-approver", right="approve"),
    }
    assert n8n.published() == WEBHOOKS | {"fsdp decide"}
    [decide] = [each for each in n8n.workflows.values() if each["name"] == "fsdp decide"]
    used = {each["name"]: each["id"] for each in n8n.credentials.values()}
    entries = [node["credentials"]["httpHeaderAuth"] for node in decide["nodes"] if "credentials" in node]
    assert entries == [{"id": used["fsdp approver"], "name": "fsdp approver"}] * 2


@pytest.mark.parametrize("may_list", [True, False], ids=["owner", "member"])
def test_remove_leaves_nothing_of_ours_and_all_of_others(
    n8n: SmallN8n, home: Home, call: Callable[..., int], tmp_path: Path, may_list: bool
) -> None:
    n8n.may_list_credentials = may_list
    theirs = {"name": "fsdp questions", "nodes": [{"name": "another start", "type": "x"}], "connections": {}}
    n8n.workflows["theirs"] = {"id": "theirs", "settings": {}, "active": False, **theirs}
    n8n.credentials["other"] = {"id": "other", "name": "mail", "type": "httpHeaderAuth", "data": {}}
    kept = Tokens(home).add("ci", "submit")
    assert call("install", "--approver", str(tmp_path / "token")) == 0
    assert call("install") == 0
    assert (len(n8n.workflows), len(n8n.credentials)) == (6, 3)
    assert call("remove") == 0
    assert list(n8n.workflows) == ["theirs"]
    assert list(n8n.credentials) == ["other"]
    assert [each.name for each in Tokens(home).kept()] == ["ci"]
    assert Tokens(home).caller_of(kept)
    assert call("remove") == 0, "a second time finds nothing, and that is fine"


def test_a_refused_key_leaves_an_earlier_installation_as_it_was(
    n8n: SmallN8n, home: Home, call: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("install") == 0
    wrong = tmp_path / "wrong"
    wrong.write_text("another-key")
    wrong.chmod(0o600)
    assert call("install", "--api-key-file", str(wrong), "--json") == 2
    error = json.loads(capsys.readouterr().out.splitlines()[-1])["error"]
    assert error["code"] == "n8n_refused"
    assert "Settings > n8n API" in error["hint"]
    assert callers(n8n, home) == {"fsdp submitter": Caller(name="n8n", right="submit")}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--url", "http://127.0.0.1:9"], "n8n_unreachable"),
        (["--url", "ftp://x"], "input_error"),
        (["--server", 'http://x:1/", "evil": "'], "input_error"),
        (["--server", "http://user:word@x:1"], "input_error"),
        (["--server", "={{ $env.SECRET }}"], "input_error"),
        (["--token", "Not A Name"], "input_error"),
        (["--serve"], "input_error"),
    ],
)
def test_what_cannot_be_used_is_said(
    call: Callable[..., int], capsys: pytest.CaptureFixture[str], words: list[str], code: str
) -> None:
    assert call("install", *words, "--json") == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


def test_an_answer_that_is_not_n8ns_is_named(
    n8n: SmallN8n, call: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(n8n, "answer", lambda *_: ["a", "page"])
    assert call("install", "--json") == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "n8n_failed"


def test_an_agent_may_not_install(
    n8n: SmallN8n, call: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HERMES_SESSION_ID", "1")
    assert call("install", "--json") == 5
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "no_person"
    assert n8n.calls == []


COMMAND = '''#!{python}
"""Stands for n8n's command: notes how it was called, and what the file held and who may read it."""
import json, os, sys
verb, option = sys.argv[1:]
note = [verb, option]
if verb.startswith("import:"):
    path = option.removeprefix("--input=")
    note = [verb, json.load(open(path)), oct(os.stat(path).st_mode & 0o777), path]
    print("Successfully imported 1 workflow." if {works} else "An error occurred while importing")
with open({notes!r}, "a") as stream:
    print(json.dumps(note), file=stream)
'''


def command(folder: Path, works: bool = True) -> Path:
    program = folder / "n8n"
    program.write_text(COMMAND.format(python=sys.executable, works=works, notes=str(folder / "notes")))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def noted(folder: Path) -> list[list[Any]]:
    return [json.loads(line) for line in (folder / "notes").read_text().splitlines()]


def test_without_a_key_n8ns_own_command_does_it(tmp_path: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["n8n", "install", "--n8n", str(command(tmp_path))]) == 0
    credentials, flows, *published = noted(tmp_path)
    assert (credentials[0], flows[0]) == ("import:credentials", "import:workflow")
    assert (credentials[2], flows[2]) == ("0o600", "0o600")
    assert not Path(credentials[3]).exists()
    [entry] = credentials[1]
    token = entry["data"]["value"].removeprefix("Bearer ")
    assert Tokens(home).caller_of(token) == Caller(name="n8n", right="submit")
    by_id = {flow["id"]: flow["name"] for flow in flows[1]}
    assert set(by_id.values()) == NAMES
    assert {(verb, by_id[option.removeprefix("--id=")]) for verb, option in published} == {
        ("publish:workflow", name) for name in WEBHOOKS
    }
    said = capsys.readouterr()
    assert token not in said.out + said.err
    assert "restart n8n" in said.out


def test_the_command_cannot_delete_so_what_it_leaves_is_worth_nothing(tmp_path: Path, home: Home) -> None:
    assert run_command(["n8n", "install", "--n8n", str(command(tmp_path))]) == 0
    (tmp_path / "notes").unlink()
    assert run_command(["n8n", "remove", "--n8n", str(tmp_path / "n8n")]) == 0
    assert Tokens(home).kept() == ()
    *unpublished, credentials = noted(tmp_path)
    assert len(unpublished) == len(WEBHOOKS)
    assert {verb for verb, _ in unpublished} == {"unpublish:workflow"}
    assert [each["data"]["value"] for each in credentials[1]] == ["Bearer removed"]


@pytest.mark.parametrize("there", [True, False])
def test_a_command_that_is_absent_or_imports_nothing_is_an_error(
    tmp_path: Path, home: Home, capsys: pytest.CaptureFixture[str], there: bool
) -> None:
    program = command(tmp_path, works=False) if there else tmp_path / "absent"
    assert run_command(["n8n", "install", "--n8n", str(program), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == ("n8n_failed" if there else "n8n_missing")
