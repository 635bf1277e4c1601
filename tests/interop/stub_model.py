"""A language model on loopback that follows a script: OpenAI's streaming chat completions, no network, no key."""

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Script:
    """What the model says, step by step, and what it was sent."""

    steps: list[dict[str, Any]]
    """`{"tool": name, "args": {...}}` or `{"text": ...}`; a step may be a function of the messages so far."""
    seen: list[dict[str, Any]] = field(default_factory=list)
    """The requests that carried tools."""
    port: int = 0
    printed: str = ""
    """What the agent showed of it to its person."""

    def next(self, request: dict[str, Any]) -> dict[str, Any]:
        """The next step; the last one is repeated."""
        self.seen.append(request)
        step = self.steps[min(len(self.seen), len(self.steps)) - 1]
        return step(request["messages"]) if callable(step) else step  # type: ignore[operator]

    def results(self) -> list[str]:
        """What the tools answered, in order, as the model was told."""
        told: dict[str, str] = {}
        for request in self.seen:  # not the last alone: a long conversation loses its beginning
            for message in request["messages"]:
                if message.get("role") == "tool":
                    told.setdefault(message["tool_call_id"], str(message.get("content")))
        return list(told.values())


@contextmanager
def model(*steps: Any) -> Iterator[Script]:
    """A running stub."""
    script = Script(list(steps))

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_args: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._json({"object": "list", "data": [{"id": "stub-model", "object": "model", "owned_by": "stub"}]})

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            # auxiliary calls (titles, summaries) carry no tools and take no step
            step = script.next(request) if request.get("tools") else {"text": "ok"}
            if request.get("stream"):
                self._stream(step)
            else:
                self._json(_whole(step))

        def _json(self, body: dict[str, Any]) -> None:
            content = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _stream(self, step: dict[str, Any]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for delta, reason in _deltas(step):
                chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "stub-model"}
                chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": reason}]
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()


def _call(step: dict[str, Any]) -> dict[str, Any]:
    function = {"name": step["tool"], "arguments": json.dumps(step["args"])}
    # an id of its own for each call: an agent takes two results of one id for one
    return {"index": 0, "id": f"call_{uuid.uuid4().hex[:12]}", "type": "function", "function": function}


def _deltas(step: dict[str, Any]) -> list[tuple[dict[str, Any], str | None]]:
    if "tool" in step:
        return [({"role": "assistant", "tool_calls": [_call(step)]}, None), ({}, "tool_calls")]
    return [({"role": "assistant", "content": step["text"]}, None), ({}, "stop")]


def _whole(step: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.get("text")}
    if "tool" in step:
        message["tool_calls"] = [_call(step)]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool" in step else "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "stub-model",
        "choices": [choice],
        "usage": usage,
    }
