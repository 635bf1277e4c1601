"""The n8n workflows as files: connected, in known node versions, without a secret, with expressions that close."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from graph.state import Phase

WORKFLOWS = sorted((Path(__file__).parents[3] / "interfaces" / "n8n").glob("*.json"))
VERSIONS = {
    "n8n-nodes-base.webhook": 2,
    "n8n-nodes-base.respondToWebhook": 1.4,
    "n8n-nodes-base.httpRequest": 4.2,
    "n8n-nodes-base.set": 3.4,
    "n8n-nodes-base.if": 2.2,
    "n8n-nodes-base.wait": 1.1,
    "n8n-nodes-base.manualTrigger": 1,
    "@n8n/n8n-nodes-langchain.mcpClient": 1,
}
"""Node types of n8n 2.8.4 and the version of each that is used."""


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in strings(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in strings(inner)]
    return [value] if isinstance(value, str) else []


def test_there_are_five() -> None:
    names = [path.stem for path in WORKFLOWS]
    assert names == ["decide", "job-done", "mcp-client", "questions", "run-with-approval"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_holds_together(path: Path) -> None:
    workflow = json.loads(path.read_text())
    nodes = {node["name"]: node for node in workflow["nodes"]}
    assert len(nodes) == len(workflow["nodes"])
    assert {(node["type"], node["typeVersion"]) for node in nodes.values()} <= set(VERSIONS.items())
    reached = {
        target["node"] for source in workflow["connections"].values() for out in source["main"] for target in out
    }
    assert set(workflow["connections"]) | reached <= set(nodes)
    starts = [name for name, node in nodes.items() if node["type"].endswith((".webhook", ".manualTrigger"))]
    assert set(nodes) - reached == set(starts)
    for node in nodes.values():
        if node["type"].endswith((".httpRequest", ".mcpClient")):
            assert node["credentials"]["httpHeaderAuth"]["name"] in ("fsdp submitter", "fsdp approver")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_expressions_close_and_name_nodes_that_exist(path: Path) -> None:
    workflow = json.loads(path.read_text())
    names = {node["name"] for node in workflow["nodes"]}
    for text in strings(workflow["nodes"]):
        if not text.startswith("="):
            continue
        assert text.count("{{") == text.count("}}")
        for inner in re.findall(r"\{\{(.*?)\}\}", text, re.S):
            assert inner.count("{") == inner.count("}"), f"an object that ends in }}}} ends the expression: {text}"
        assert set(re.findall(r"\$\('([^']+)'\)", text)) <= names
        assert "$env" not in text


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_caller_posts_cannot_lead_a_call_to_another_route(path: Path) -> None:
    """The calls carry the workflow's token: a path out of the caller's hands would do whatever the token may."""
    nodes = json.loads(path.read_text())["nodes"]
    for node in nodes:
        for inner in re.findall(r"\{\{(.*?)\}\}", node["parameters"].get("url", ""), re.S):
            if ".body." in inner:
                # matched whole against a pattern of hexadecimal digits, else a word that names nothing
                assert re.fullmatch(
                    r" /\^(?:r-)?\[0-9a-f\](?:\+|\{64\})\$/\.test\((\$json\.body\.\w+)\) \? \1 : 'unknown' ", inner
                )
    for node in nodes:
        for assignment in node["parameters"].get("assignments", {}).get("assignments", []):
            if ".body." in assignment["value"]:
                assert re.fullmatch(r"=\{\{ \['ask', .*\]\.includes\(.*\) \? .* : '' \}\}", assignment["value"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_branch_never_ends_without_an_item(path: Path) -> None:
    """Where the last node answers the caller, n8n makes an error of a condition whose output leads nowhere."""
    workflow = json.loads(path.read_text())
    modes = [node["parameters"].get("responseMode") for node in workflow["nodes"] if node["type"].endswith(".webhook")]
    for node in workflow["nodes"]:
        if "lastNode" in modes and node["type"].endswith(".if"):
            outputs = workflow["connections"][node["name"]]["main"]
            assert len(outputs) == 2
            assert all(outputs)


def workflow(stem: str) -> dict[str, Any]:
    [path] = [path for path in WORKFLOWS if path.stem == stem]
    return json.loads(path.read_text())  # type: ignore[no-any-return]


@pytest.mark.parametrize("stem", ["decide", "run-with-approval"])
def test_executions_that_carry_launches_and_tokens_are_thrown_away_at_their_end(stem: str) -> None:
    """n8n stores what a webhook received, its headers too."""
    kept = {name: value for name, value in workflow(stem)["settings"].items() if name.startswith("save")}
    assert kept == {
        "saveDataSuccessExecution": "none",
        "saveDataErrorExecution": "none",
        "saveManualExecutions": False,
        "saveExecutionProgress": False,
    }


def test_the_approvers_credential_is_in_the_workflow_that_decides_alone_and_that_one_never_waits() -> None:
    """What n8n stores of an execution it keeps until that ends: no token may lie there while a job is followed."""
    for path in WORKFLOWS:
        nodes = json.loads(path.read_text())["nodes"]
        names = {node["credentials"]["httpHeaderAuth"]["name"] for node in nodes if "credentials" in node}
        assert names == ({"fsdp approver"} if path.stem == "decide" else {"fsdp submitter"})
        if path.stem == "decide":
            assert not [node for node in nodes if node["type"].endswith(".wait")]
        for node in nodes:
            if node["type"].endswith(".wait"):
                assert node["parameters"]["resume"] == "timeInterval", "nothing from outside is taken in meanwhile"


def test_following_a_job_survives_restarts() -> None:
    """n8n holds waits below 65 seconds in memory alone; a server that starts again refuses calls for some seconds."""
    body = workflow("run-with-approval")
    nodes = {node["name"]: node for node in body["nodes"]}
    assert nodes["a while"]["parameters"]["unit"] == "seconds"
    assert nodes["a while"]["parameters"]["amount"] >= 65
    for name in ("where it stands", "the report"):
        assert nodes[name]["retryOnFail"] is True
        assert (nodes[name]["maxTries"] - 1) * nodes[name]["waitBetweenTries"] >= 20_000
        assert nodes[name]["onError"] == "continueRegularOutput"


def test_only_an_end_ends_the_following() -> None:
    """Whatever else comes back, no answer at all among it, is looked at again; every phase of an end is one."""
    body = workflow("run-with-approval")
    nodes = {node["name"]: node for node in body["nodes"]}
    [condition] = nodes["ended?"]["parameters"]["conditions"]["conditions"]
    ends = set(re.findall(r"'(\w+)'", condition["leftValue"].partition("]")[0]))
    moving = {"assessing", "answering", "planning", "reviewing", "awaiting_approval", "running"}
    assert ends == set(get_args(Phase)) - moving
    ended, open_ = body["connections"]["ended?"]["main"]
    assert [each["node"] for each in ended] == ["the report"]
    assert [each["node"] for each in open_] == ["a while"]


def test_deciding_takes_the_approvers_credential_twice() -> None:
    """Once to be let in at the webhook, once at the server."""
    asked, _, decided = workflow("decide")["nodes"]
    assert asked["parameters"]["authentication"] == "headerAuth"
    assert decided["parameters"]["url"].endswith("/decision")
    for node in (asked, decided):
        assert node["credentials"]["httpHeaderAuth"]["name"] == "fsdp approver"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_no_token_is_in_a_file(path: Path) -> None:
    assert not re.search(r"[0-9a-f]{40,}|Bearer ", path.read_text())
