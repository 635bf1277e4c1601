"""The n8n workflows as files: connected, in known node versions, without a secret, with expressions that close."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

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


def test_there_are_four() -> None:
    names = [path.stem for path in WORKFLOWS]
    assert names == ["job-done", "mcp-client", "questions", "run-with-approval"]


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
                assert inner == " /^r-[0-9a-f]+$/.test($json.body.run_id) ? $json.body.run_id : 'unknown' "
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


def test_an_execution_with_the_approvers_header_is_thrown_away_at_its_end() -> None:
    """n8n stores what a webhook received, its headers too: here the approver's token."""
    [path] = [path for path in WORKFLOWS if path.stem == "run-with-approval"]
    kept = {name: value for name, value in json.loads(path.read_text())["settings"].items() if name.startswith("save")}
    assert kept == {
        "saveDataSuccessExecution": "none",
        "saveDataErrorExecution": "none",
        "saveManualExecutions": False,
        "saveExecutionProgress": False,
    }


def test_following_a_job_survives_restarts() -> None:
    """n8n holds waits below 65 seconds in memory alone; a server that starts again refuses calls for some seconds."""
    [path] = [path for path in WORKFLOWS if path.stem == "run-with-approval"]
    nodes = {node["name"]: node for node in json.loads(path.read_text())["nodes"]}
    assert nodes["a while"]["parameters"]["unit"] == "seconds"
    assert nodes["a while"]["parameters"]["amount"] >= 65
    for name in ("record the decision", "where it stands", "the report"):
        assert nodes[name]["retryOnFail"] is True
        assert (nodes[name]["maxTries"] - 1) * nodes[name]["waitBetweenTries"] >= 20_000


def test_deciding_takes_the_approvers_credential_twice() -> None:
    """Once to be let in at the waiting node, once at the server: the address alone decides nothing."""
    [path] = [path for path in WORKFLOWS if path.stem == "run-with-approval"]
    nodes = {node["name"]: node for node in json.loads(path.read_text())["nodes"]}
    waiting, deciding = nodes["a person decides"], nodes["record the decision"]
    assert waiting["parameters"]["incomingAuthentication"] == "headerAuth"
    for node in (waiting, deciding):
        assert node["credentials"]["httpHeaderAuth"]["name"] == "fsdp approver"
    others = [node for node in nodes.values() if node not in (waiting, deciding) and "credentials" in node]
    assert {node["credentials"]["httpHeaderAuth"]["name"] for node in others} == {"fsdp submitter"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_no_token_is_in_a_file(path: Path) -> None:
    assert not re.search(r"[0-9a-f]{40,}|Bearer ", path.read_text())
