"""A real Hermes with homes of its own, driven whole turns at a time by a scripted model.

Hermes lives in an environment of its own, for it pins other versions: `make hermes-env` makes it.
"""

import json
import os
import signal
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

from tests.flows.servers import free_port
from tests.interop.stub_model import Script, model

ROOT = Path(__file__).parents[2]
HERMES = Path(os.environ.get("FSDP_HERMES_ENV", ROOT / ".venv-hermes")) / "bin"
FSDP_AGENT = str(Path(sys.executable).with_name("fsdp-agent"))
PATIENCE_S = 240
"""A loaded machine is slow to start an agent and its server."""
DONE = {"text": "done"}
"""The model's last step."""

NEEDS_HERMES = [
    pytest.mark.interop,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not (HERMES / "hermes").exists(), reason="needs Hermes in .venv-hermes; run: make hermes-env"),
]
"""Marks of a test module that talks to the real Hermes."""


@dataclass
class Desk:
    """A Hermes home of its own, with the agent's home and a request that can be run beside it."""

    folder: Path
    bench: Any
    settings: dict[str, Any] = field(default_factory=dict)
    """Further keys of Hermes' configuration; None takes one away."""
    elicitation: bool = False
    """Whether the owner of the agent lets a client put an approval to its person."""

    @property
    def environment(self) -> dict[str, str]:
        """What a person's shell has, with nothing of the machine's own homes in it."""
        base = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return base | {
            "HOME": str(self.folder),
            "HERMES_HOME": str(self.folder / "hermes"),
            "TMPDIR": str(self.folder / "tmp"),
            "PATH": f"{Path(FSDP_AGENT).parent}:{base['PATH']}",
        }

    def start(self, *arguments: str, output: Any = subprocess.PIPE, **variables: str) -> subprocess.Popen[str]:
        """Start a Hermes command in a session of its own."""
        return subprocess.Popen(
            [str(HERMES / "hermes"), *arguments],
            env=self.environment | variables,
            cwd=self.bench.folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def hermes(self, *arguments: str) -> str:
        """Run a Hermes command to its end and return what it said."""
        return self.start(*arguments).communicate(timeout=PATIENCE_S)[0]

    def agent(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run `fsdp-agent` as the person beside this Hermes."""
        return subprocess.run(
            [FSDP_AGENT, *arguments],
            env=self.environment | variables,
            cwd=self.bench.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )

    def python(self, program: str) -> Any:
        """Run a program in Hermes' Python; its last line is JSON."""
        done = subprocess.run(
            [str(HERMES / "python"), "-c", program],
            env=self.environment,
            cwd=self.bench.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout.strip().splitlines()[-1])

    def configure(self, script: Script | None = None) -> None:
        """Add to the configuration that the installation wrote: the stub as model, our homes for the server."""
        import yaml

        path = self.folder / "hermes" / "config.yaml"
        config = yaml.safe_load(path.read_text()) or {}
        owner = self.bench.folder / "owner.toml"
        owner.write_text(
            f"[approval]\nelicitation = {str(self.elicitation).lower()}\n"
            f"[server]\ninterpreters = [{str(self.bench.folder / 'bin' / 'python')!r}]\n"
        )
        owner.chmod(0o600)
        config["mcp_servers"]["fsdp"]["env"] = {
            "FSDP_AGENT_HOME": str(self.bench.home.root),
            "FSDP_AGENT_CONFIG": str(owner),
        }
        config["mcp_discovery_timeout"] = 60
        if script is not None:
            config["model"] = {
                "default": "stub-model",
                "provider": "custom",
                "base_url": f"http://127.0.0.1:{script.port}/v1",
                "api_key": "not-needed",
                "context_length": 131072,
            }
        for name, value in self.settings.items():
            config[name] = config[name] | value if isinstance(config.get(name), dict) else value
        path.write_text(yaml.safe_dump({name: value for name, value in config.items() if value is not None}))


def install(desk: Desk) -> None:
    """Put skill and server into the desk's Hermes, as the page says."""
    added = desk.agent("hermes", "install", "--hermes", str(HERMES / "hermes"), "--json")
    assert added.returncode == 0, added.stdout + added.stderr


def turn(desk: Desk, *steps: Any, said: str = "Please help with my training.") -> Script:
    """One whole turn of the agent with a scripted model."""
    with model(*steps) as script:
        desk.configure(script)
        printed = desk.hermes("chat", "-Q", "-q", said)
        assert script.seen, printed
        script.printed = printed
        return script


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    """A step of the model that calls one of our tools."""
    return {"tool": f"mcp__fsdp__fsdp_{name}", "args": arguments}


def answers(script: Script) -> list[dict[str, Any]]:
    """What our tools told the model: JSON in the `result` of what Hermes marks as untrusted."""
    return [results(content) for content in script.results()]


def results(content: str) -> dict[str, Any]:
    """One such answer."""
    wrapped, _ = json.JSONDecoder().raw_decode(content[content.index('{"result"') :])
    return dict(json.loads(wrapped["result"]))


def until(what: str, holds: Any) -> Any:
    """Wait until something is true, and return it."""
    limit = time.monotonic() + PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < limit, f"waited in vain: {what}"
        time.sleep(0.1)
    return found


class Gateway:
    """Hermes' API server: turns over HTTP, approvals by whoever holds its key."""

    KEY = "a-key-of-the-persons-own-0123456789"

    def __init__(self, desk: Desk) -> None:
        """Choose a port."""
        self.desk, self.port = desk, free_port()
        self.log = desk.folder / "gateway.log"
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Gateway":
        """Start it and wait until it answers."""
        with self.log.open("ab") as output:
            self.process = self.desk.start(
                "gateway",
                "run",
                output=output,
                API_SERVER_ENABLED="true",
                API_SERVER_KEY=self.KEY,
                API_SERVER_PORT=str(self.port),
            )
        until("the gateway answers", self._is_up)
        return self

    def __exit__(self, *_exception: object) -> None:
        """End it and what it started."""
        assert self.process is not None
        for order in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                os.killpg(self.process.pid, order)
                try:
                    self.process.wait(0.1 if order == signal.SIGCONT else 20)
                except subprocess.TimeoutExpired:
                    continue

    def ask(self, text: str) -> str:
        """Begin a turn and return its id."""
        answer = self._call("POST", "/v1/runs", json={"input": text})
        assert answer.status_code == 202, answer.text
        return str(answer.json()["run_id"])

    def stands(self, run_id: str) -> dict[str, Any]:
        """Where a turn stands."""
        return dict(self._call("GET", f"/v1/runs/{run_id}").json())

    def asked(self, run_id: str) -> dict[str, Any]:
        """The turn's next event that asks a person to approve."""
        headers = {"Authorization": f"Bearer {self.KEY}"}
        url = f"http://127.0.0.1:{self.port}/v1/runs/{run_id}/events"
        with httpx.stream("GET", url, headers=headers, timeout=PATIENCE_S) as events:
            for line in events.iter_lines():
                if line.startswith("data: ") and (event := json.loads(line[6:]))["event"] == "approval.request":
                    return dict(event)
        pytest.fail(f"nobody was asked; the turn: {self.stands(run_id)}\n{self.log.read_text()[-3000:]}")

    def answer(self, run_id: str, choice: str, key: str = KEY) -> httpx.Response:
        """What a person answers to what was asked."""
        return self._call("POST", f"/v1/runs/{run_id}/approval", key=key, json={"choice": choice})

    def finish(self, run_id: str) -> dict[str, Any]:
        """Wait for the end of a turn."""

        def ended() -> dict[str, Any] | None:
            stands = self.stands(run_id)
            return stands if stands["status"] in ("completed", "failed", "cancelled") else None

        return dict(until(f"the end of {run_id}", ended))

    def _is_up(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/health", timeout=2).status_code == 200
        except httpx.HTTPError:
            return False

    def _call(self, method: str, path: str, key: str = KEY, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.request(method, f"http://127.0.0.1:{self.port}{path}", headers=headers, timeout=PATIENCE_S, **more)


@contextmanager
def gateway(desk: Desk, *steps: Any) -> Iterator[tuple[Gateway, Script]]:
    """A running API server whose model follows a script."""
    with model(*steps) as script:
        desk.configure(script)
        with Gateway(desk) as running:
            yield running, script
