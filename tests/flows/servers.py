"""Real servers on loopback, the plain one and LangGraph's, started as a person starts them."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

START_S = 180
"""A loaded machine is slow to start."""
KINDS = ("plain", "langgraph")
"""Which server."""


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Served:
    """A server, its home folder, and hands for its callers."""

    kind: str
    bench: Any
    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        """Address without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """What the server said."""
        return self.folder / f"{self.kind}.log"

    def token(self, right: str = "submit") -> str:
        """The first token of a right."""
        return self.bench.home.secret(right).hex()

    def http(self, token: str | None = "", **headers: str) -> httpx.Client:
        """A client; `token` None for none, empty for the submitter's."""
        if token is not None:
            headers["Authorization"] = f"Bearer {token or self.token()}"
        return httpx.Client(base_url=self.url, headers=headers, timeout=120)

    def start(self) -> None:
        """Start it and wait until it answers."""
        config = self.folder / "owner.toml"
        if not config.exists():
            folders = [str(self.bench.folder), str(self.folder / "logs")]
            python = str(self.bench.folder / "bin" / "python")
            told = [sys.executable, str(self.folder / "told.py")]
            config.write_text(f"[server]\nroots = {folders}\ninterpreters = [{python!r}]\nnotify = {told}\n")
            config.chmod(0o600)
            (self.folder / "told.py").write_text(
                f"import sys\nopen({str(self.folder / 'told')!r}, 'a').write(sys.stdin.read() + '\\n')\n"
            )
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= {"FSDP_AGENT_CONFIG": str(config), "LANGGRAPH_STRICT_MSGPACK": "true"}
        call = [str(Path(sys.executable).with_name("fsdp-agent")), "serve", "--port", str(self.port)]
        call += ["--home", str(self.bench.home.root), *(["--plain"] if self.kind == "plain" else [])]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                call, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        limit = time.monotonic() + START_S
        while time.monotonic() < limit:
            assert self.process.poll() is None, self.log.read_text()
            try:
                if httpx.get(f"{self.url}/fsdp/health", timeout=2).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.2)
        pytest.fail(f"the server did not come up in {START_S} s:\n{self.log.read_text()}")

    def kill(self) -> None:
        """End it at once, its children too."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(30)

    def stop(self) -> None:
        """End it."""
        for order in (signal.SIGTERM, signal.SIGKILL):
            if self.process is None or self.process.poll() is not None:
                return
            os.killpg(self.process.pid, order)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                continue


@contextmanager
def served(kind: str, bench: Any, folder: Path) -> Iterator[Served]:
    """A running server."""
    server = Served(kind, bench, folder)
    try:
        server.start()
        yield server
    finally:
        bench.switch("hold", False)
        server.stop()
