"""A model's config.json from a hub: a real HTTP server on this machine stands for it."""

import json
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from contracts.errors import CannotBeKnown, RequestInvalid
from interfaces.hub import fetch_config, is_hub_id
from interfaces.service_sizing import estimate, subject

CONFIG = {
    "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 160, "vocab_size": 256,
}  # fmt: skip
PAGES = {
    "/some/tiny/resolve/main/config.json": (200, json.dumps(CONFIG).encode()),
    "/some/tiny/resolve/v2/config.json": (200, json.dumps(CONFIG | {"num_hidden_layers": 3}).encode()),
    "/some/gated/resolve/main/config.json": (403, b""),
    "/some/broken/resolve/main/config.json": (500, b""),
    "/some/page/resolve/main/config.json": (200, b"<html>"),
    "/some/list/resolve/main/config.json": (200, b"[1]"),
    "/some/huge/resolve/main/config.json": (200, b" " * (3 << 20)),
    "/some/other/resolve/main/config.json": (200, b"{}"),
}


@contextmanager
def hub():
    asked = []

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, dict(self.headers)))
            if self.path == "/some/moved/resolve/main/config.json":
                self.send_response(307)
                self.send_header("Location", "/some/tiny/resolve/main/config.json")
                self.end_headers()
                return
            status, body = PAGES.get(self.path, (404, b""))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(ConnectionError):  # the client has read enough
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def there(monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with hub() as (address, asked):
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield asked


def test_a_config_is_fetched_and_sized(there):
    shape, _ = subject("some/tiny", {"ranks": 2, "seq_len": 64}, hub=True)
    # by hand: 2 x 256 x 64 + 64 + 2 x (4 x 64 x 64 + 3 x 64 x 160 + 2 x 64)
    assert (shape.name, shape.params) == ("some/tiny", 127_296)
    assert not any("uthorization" in name for _, headers in there for name in headers)


def test_a_revision_and_a_redirect_are_followed(there):
    assert fetch_config("some/tiny@v2")["num_hidden_layers"] == 3
    assert fetch_config("some/moved") == CONFIG


def test_a_name_that_is_known_asks_nobody(there):
    assert subject("meta-llama/Meta-Llama-3-8B", {"ranks": 2, "seq_len": 64}, hub=True)[0].params == 8_030_261_248
    assert there == []


def test_without_leave_the_hub_is_not_asked(there):
    with pytest.raises(CannotBeKnown):
        estimate("some/tiny", None, {"ranks": 2, "seq_len": 64})
    assert there == []


@pytest.mark.parametrize(
    ("hub_id", "error", "said"),
    [
        ("some/gated", CannotBeKnown, "members only"),
        ("some/missing", CannotBeKnown, "no some/missing"),
        ("some/broken", CannotBeKnown, "500"),
        ("some/page", RequestInvalid, "not JSON"),
        ("some/list", RequestInvalid, "list"),
        ("some/huge", RequestInvalid, "larger than"),
        ("../etc", RequestInvalid, "no model id"),
    ],
)
def test_what_cannot_be_had_says_why(there, hub_id, error, said):
    with pytest.raises(error) as raised:
        fetch_config(hub_id)
    assert said in raised.value.message


def test_a_config_that_is_none_is_refused(there):
    with pytest.raises(RequestInvalid, match="model_type"):
        subject("some/other", {"ranks": 2, "seq_len": 64}, hub=True)


def test_without_network_it_says_what_to_give_instead(monkeypatch):
    with hub() as (address, _):
        pass  # now nobody listens there
    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with pytest.raises(CannotBeKnown) as raised:
        fetch_config("some/tiny")
    assert "cannot be fetched" in raised.value.message
    assert "config.json" in raised.value.hint
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(CannotBeKnown, match="HF_HUB_OFFLINE"):
        fetch_config("some/tiny")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("a/b", True), ("a/b@c", True), ("a", False), ("a/b/c", False), ("../b", False), ("a/..", False), ("/a/b", False)],
)
def test_ids(text, is_one):
    assert is_hub_id(text) is is_one
