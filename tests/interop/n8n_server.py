"""A workflow of interfaces/n8n, walked as n8n walks it, against a real server."""

import json
import subprocess
from pathlib import Path
from typing import Any

from interfaces.n8n.workflows import APPROVER, SUBMITTER, workflows
from tests.flows.servers import Served

WORKFLOWS = Path(__file__).parents[2] / "interfaces" / "n8n"
REPLAY = Path(__file__).with_name("n8n_replay.mjs")
WEBHOOKS = {
    "fsdp-ask": ("questions.json", "ask the specialist", "(last)"),
    "fsdp-run": ("run-with-approval.json", "start a run", "(answer)"),
    "fsdp-decide": ("decide.json", "a person decides", "(last)"),
    "fsdp-job-done": ("job-done.json", "a job has ended", "(last)"),
}
"""By path of the webhook: the file, its first node, and which output answers the caller."""


def replay(server: Served, file: str, start: str, body: dict[str, Any], until: str = "") -> dict[str, Any]:
    """Walk a workflow and return what each node put out.

    Args:
        server: The server that the workflow calls.
        file: Name of the workflow's file.
        start: Name of its first node.
        body: What was posted to its webhook.
        until: Name of the node after which nobody looks on; empty for the whole way.
    """
    [flow] = [each for each in workflows(approver=True) if each.body == json.loads((WORKFLOWS / file).read_text())]
    given = {
        "workflow": flow.filled(server.url, flow.credentials).body,
        "start": start,
        "body": body,
        "tokens": {SUBMITTER: server.token(), APPROVER: server.token("approve")},
        "until": until,
    }
    done = subprocess.run(["node", str(REPLAY)], input=json.dumps(given), capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]
