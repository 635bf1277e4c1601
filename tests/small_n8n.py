"""A small n8n: as much of its public API (openapi 1.1.1 of n8n 2.8.4) as an installation calls, over real HTTP.

Checked of every request: the key; the path and method; that a workflow has the four required
keys and none besides those of the schema, its nodes and settings likewise; that a
`httpHeaderAuth` credential has text for `name` and `value` and nothing else; that a node
names a credential that is there; that a published workflow has a webhook, on a path that no
other one has. What is refused is answered as n8n does: 400, 401, 403, 404 with `message`.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

Json = dict[str, Any]
KEY = "n8n_api_key.made-for.this-test"
PAGE = 2
"""Entries of a page at most, so that there is a second one."""
NODE_KEYS = set(
    re.findall(
        r"\w+",
        "id name webhookId disabled notesInFlow notes type typeVersion executeOnce alwaysOutputData retryOnFail"
        " maxTries waitBetweenTries continueOnFail onError position parameters credentials createdAt updatedAt",
    )
)
SETTING_KEYS = set(
    re.findall(
        r"\w+",
        "saveExecutionProgress saveManualExecutions saveDataErrorExecution saveDataSuccessExecution executionTimeout "
        "errorWorkflow timezone executionOrder callerPolicy callerIds timeSavedPerExecution availableInMCP",
    )
)
WORKFLOW_KEYS = {"name", "nodes", "connections", "settings"}


class Refused(Exception):
    """What is answered in place of a result."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class SmallN8n:
    """Workflows and credentials of one n8n."""

    def __init__(self) -> None:
        self.workflows: dict[str, Json] = {}
        self.credentials: dict[str, Json] = {}
        self.calls: list[str] = []
        self.may_list_credentials = True
        self.url = ""
        self._made = 0

    def published(self) -> set[str]:
        """Names of the workflows that are published."""
        return {each["name"] for each in self.workflows.values() if each["active"]}

    def answer(self, method: str, target: str, body: Any) -> Any:
        parts = urlsplit(target)
        match [method, *parts.path.removeprefix("/api/v1/").split("/")]:
            case ["GET", "workflows"]:
                return self._page(list(self.workflows.values()), parts.query)
            case ["POST", "workflows"]:
                return self._keep(self.workflows, self._workflow(body) | {"active": False})
            case ["PUT", "workflows", key]:
                self._there(self.workflows, key).update(self._workflow(body))
                return self.workflows[key]
            case ["POST", "workflows", key, "activate"]:
                return self._publish(self._there(self.workflows, key))
            case ["DELETE", "workflows", key]:
                self._there(self.workflows, key)
                return self.workflows.pop(key)
            case ["GET", "credentials"]:
                if not self.may_list_credentials:
                    raise Refused(403, "Forbidden")
                kept = [{name: each[name] for name in ("id", "name", "type")} for each in self.credentials.values()]
                return self._page(kept, parts.query)
            case ["POST", "credentials"]:
                return self._keep(self.credentials, self._credential(body))
            case ["PATCH", "credentials", key]:
                self._there(self.credentials, key).update(self._credential(body))
                return self.credentials[key]
            case ["DELETE", "credentials", key]:
                self._there(self.credentials, key)
                return self.credentials.pop(key)
        raise Refused(404, "not found")

    def _keep(self, where: dict[str, Json], entry: Json) -> Json:
        self._made += 1
        where[f"id{self._made}"] = {"id": f"id{self._made}", **entry}
        return where[f"id{self._made}"]

    def _there(self, where: dict[str, Json], key: str) -> Json:
        if key not in where:
            raise Refused(404, "Not Found")
        return where[key]

    def _page(self, entries: list[Json], query: str) -> Json:
        asked = parse_qs(query)
        start = int(asked.get("cursor", ["0"])[0])
        end = start + min(PAGE, int(asked["limit"][0]))
        return {"data": entries[start:end], "nextCursor": str(end) if end < len(entries) else None}

    def _workflow(self, body: Json) -> Json:
        if set(body) != WORKFLOW_KEYS:
            raise Refused(400, f"request/body has the keys {sorted(body)}")
        for node in body["nodes"]:
            if set(node) - NODE_KEYS:
                raise Refused(400, f"request/body/nodes must NOT have additional properties {set(node) - NODE_KEYS}")
            for entry in node.get("credentials", {}).values():
                self._there(self.credentials, entry["id"])
        if set(body["settings"]) - SETTING_KEYS:
            raise Refused(400, "request/body/settings must NOT have additional properties")
        return body

    def _credential(self, body: Json) -> Json:
        if set(body) != {"name", "type", "data"} or body["type"] != "httpHeaderAuth":
            raise Refused(400, "req.body.type is not a known type")
        if set(body["data"]) != {"name", "value"} or not all(isinstance(each, str) for each in body["data"].values()):
            raise Refused(400, f"request.body.data is not valid: {body['data']}")
        return body

    def _publish(self, workflow: Json) -> Json:
        def paths(each: Json) -> set[str]:
            return {node["parameters"]["path"] for node in each["nodes"] if node["type"].endswith(".webhook")}

        if not paths(workflow):
            raise Refused(400, "Workflow cannot be activated because it has no trigger node.")
        others = [each for each in self.workflows.values() if each["active"] and each is not workflow]
        if any(paths(each) & paths(workflow) for each in others):
            raise Refused(409, "There is a conflict with one of the webhooks.")
        workflow["active"] = True
        return workflow


@contextmanager
def small_n8n() -> Iterator[SmallN8n]:
    """A small n8n that listens on loopback."""
    state = SmallN8n()

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            state.calls.append(f"{self.command} {urlsplit(self.path).path}")
            try:
                if self.headers.get("X-N8N-API-KEY") != KEY:
                    raise Refused(401, "unauthorized")
                status, answer = 200, state.answer(self.command, self.path, json.loads(raw or b"null"))
            except Refused as refused:
                status, answer = refused.status, {"message": str(refused)}
            text = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join(30)
