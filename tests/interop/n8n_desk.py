"""A real n8n with a folder of its own, started and stopped as its owner does. `make n8n-env` installs it."""

import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.flows.servers import free_port

ROOT = Path(__file__).parents[2]
N8N = Path(os.environ.get("FSDP_N8N_ENV", ROOT / ".n8n")) / "node_modules" / ".bin"
PATIENCE_S = 300
"""A loaded machine is slow to start n8n; its first start also makes a database."""
LOOK_S = 0.5

NEEDS_N8N = [
    pytest.mark.interop,
    pytest.mark.slow,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(not (N8N / "n8n").exists(), reason="needs n8n 2.8.4 in .n8n; run: make n8n-env"),
]
"""Marks of a test module that talks to the real n8n."""

_OWNER = {"email": "ada@example.org", "firstName": "Ada", "lastName": "L", "password": "A-word-2-remember"}


@dataclass
class N8n:
    """One n8n."""

    folder: Path
    port: int = field(default_factory=free_port)
    broker: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address, as a person types it."""
        return f"http://localhost:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What its owner's shell has; a second process of n8n needs another broker port."""
        kept = {name: os.environ[name] for name in os.environ if name == "LANG" or name.startswith("PIP_")}
        return kept | {
            "HOME": str(self.folder),
            "PATH": f"{N8N}:{os.environ['PATH']}",
            "N8N_USER_FOLDER": str(self.folder),
            "N8N_PORT": str(self.port),
            "N8N_RUNNERS_BROKER_PORT": str(self.broker),
            "N8N_DIAGNOSTICS_ENABLED": "false",
            "N8N_VERSION_NOTIFICATIONS_ENABLED": "false",
            "N8N_TEMPLATES_ENABLED": "false",
            "N8N_PERSONALIZATION_ENABLED": "false",
        }

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        with (self.folder / "n8n.log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(N8N / "n8n"), "start"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.until(lambda: self._answers("/healthz/readiness"), "n8n is not ready")

    def stop(self, order: signal.Signals = signal.SIGTERM) -> None:
        """End it."""
        for each in (order, signal.SIGKILL):
            if self.process is None or self.process.poll() is not None:
                return
            os.killpg(self.process.pid, each)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                continue

    def key(self) -> Path:
        """Set the owner up and make an API key, as in Settings > n8n API; a file that holds it."""
        path = self.folder / "n8n.key"
        if not path.exists():
            with httpx.Client(base_url=self.url, timeout=60, trust_env=False) as http:
                self.until(lambda: self._answers("/rest/settings"), "n8n's pages do not answer")
                http.post("/rest/owner/setup", json=_OWNER).raise_for_status()
                login = {"emailOrLdapLoginId": _OWNER["email"], "password": _OWNER["password"]}
                # the cookie is marked for TLS alone, so no client sends it back by itself
                cookie = http.post("/rest/login", json=login).raise_for_status().headers["set-cookie"].split(";")[0]
                scopes = http.get("/rest/api-keys/scopes", headers={"Cookie": cookie}).raise_for_status().json()["data"]
                asked = {"label": "agent", "expiresAt": None, "scopes": scopes}
                made = http.post("/rest/api-keys", json=asked, headers={"Cookie": cookie}).raise_for_status()
            path.touch(0o600)
            path.write_text(made.json()["data"]["rawApiKey"])
        return path

    def api(self, what: str) -> list[dict[str, Any]]:
        """List workflows or credentials by the public API."""
        headers = {"X-N8N-API-KEY": self.key().read_text()}
        answer = httpx.get(f"{self.url}/api/v1/{what}?limit=100", headers=headers, timeout=60, trust_env=False)
        return answer.raise_for_status().json()["data"]  # type: ignore[no-any-return]

    def post(self, path: str, body: Any, token: str = "", expect: int = 200) -> Any:
        """Call a webhook, again while it is not there yet, and return what it answers."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answers: list[httpx.Response] = []

        def answered() -> bool:
            try:
                answers.append(
                    httpx.post(f"{self.url}/webhook/{path}", json=body, headers=headers, timeout=120, trust_env=False)
                )
            except httpx.TransportError:
                return False
            return answers[-1].status_code != 404

        self.until(answered, f"webhook {path} is not there")
        assert answers[-1].status_code == expect, answers[-1].text
        return answers[-1].json() if expect == 200 else answers[-1].text

    def executions(self) -> list[str]:
        """States of the executions that have not ended."""
        open_ = "status IN ('new', 'running', 'waiting') AND deletedAt IS NULL"
        return [status for (status,) in self._rows(f"SELECT status FROM execution_entity WHERE {open_}")]

    def stores(self, text: str) -> bool:
        """Tell whether a text is in what it keeps of any execution, the open ones among them."""
        return any(text in data for (data,) in self._rows("SELECT data FROM execution_data"))

    def _rows(self, query: str) -> list[tuple[str]]:
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=60)) as database:
            return database.execute(query).fetchall()

    @property
    def database(self) -> Path:
        """Its SQLite file."""
        return self.folder / ".n8n" / "database.sqlite"

    def until(self, true: Any, otherwise: str, limit_s: float = PATIENCE_S) -> None:
        """Wait until something is true."""
        limit = time.monotonic() + limit_s
        while not true():
            assert self.process is None or self.process.poll() is None, (self.folder / "n8n.log").read_text()[-2000:]
            assert time.monotonic() < limit, otherwise
            time.sleep(LOOK_S)

    def _answers(self, path: str) -> bool:
        try:
            return httpx.get(f"{self.url}{path}", timeout=5, trust_env=False).status_code == 200
        except httpx.TransportError:
            return False
