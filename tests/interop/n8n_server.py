"""A workflow of interfaces/n8n, walked as n8n walks it, against a real server."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.flows.servers import Served

WORKFLOWS = Path(__file__).parents[2] / "interfaces" / "n8n"
REPLAY = Path(__file__).with_name("n8n_replay.mjs")
WEBHOOKS = {
    "fsdp-ask": ("questions.json", "ask the specialist", "(last)"),
    "fsdp-run": ("run-with-approval.json", "start a run", "(answer)"),
    "fsdp-job-done": ("job-done.json", "a job has ended", "(last)"),
}
"""By path of the webhook: the file, its first node, and which output answers the caller."""


def replay(server: Served, file: str, start: str, body: dict[str, Any], decision: Any = None) -> dict[str, Any]:
    """Walk a workflow and return what each node put out.

    Args:
        server: The server that the workflow calls.
        file: Name of the workflow's file.
        start: Name of its first node.
        body: What was posted to its webhook.
        decision: What is posted to a node that waits.
    """
    given = {
        "workflow": json.loads((WORKFLOWS / file).read_text()),
        "start": start,
        "body": body,
        "url": server.url,
        "tokens": {"fsdp submitter": server.token(), "fsdp approver": server.token("approve")},
        "decision": decision,
    }
    done = subprocess.run(["node", str(REPLAY)], input=json.dumps(given), capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]
