"""`fsdp-agent serve` and `fsdp-agent mcp`: the servers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from contracts.errors import FsdpAgentError, InputError
from interfaces.cli import exits
from interfaces.cli.options import HomeOption, InterpreterOption, settings

UNDER_SERVER = "FSDP_AGENT_UNDER_SERVER"
"""Set in a server's environment, and so in that of its children: what runs there is no person."""

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_WORKERS = "10"
_ROOT = Path(__file__).parents[2]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(serve)
    app.command()(mcp)


def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 2024,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    plain: Annotated[
        bool, typer.Option("--plain", help="/fsdp/v1 and /fsdp/mcp alone, without the LangGraph server.")
    ] = False,
    home: HomeOption = None,
    interpreter: InterpreterOption = None,
) -> int:
    """Serve over HTTP: /fsdp/v1, /fsdp/mcp, and the LangGraph server for Studio.

    Every route but the two of health wants a token: `fsdp-agent tokens` makes them.
    """
    from interfaces.http.only_one import only_server
    from interfaces.http.plain import listen, serve_plain
    from runners import Home

    chosen = settings(home, interpreter)
    with only_server(Home(chosen.home)):
        # first the port, then the news of it; and the LangGraph server would silently take another one
        listener = listen(host, port)
        _announce(host, port, chosen.home)
        os.environ[UNDER_SERVER] = "1"
        if plain:
            serve_plain(chosen, listener)
            return exits.ANSWERED
        listener.close()
        return _langgraph(host, port, chosen.home)


def mcp(home: HomeOption = None, interpreter: InterpreterOption = None) -> int:
    """Serve MCP over standard input and output, for the agent that started this."""
    from interfaces.mcp.over_stdio import serve_stdio

    serve_stdio(settings(home, interpreter))
    return exits.ANSWERED


def _announce(host: str, port: int, home: str) -> None:
    from interfaces.http.job_done import announce
    from runners import Home

    for right in ("submit", "approve"):
        Home(home).secret(right)
    if host not in _LOOPBACK:
        print(
            f"warning: {host} is not this machine alone; tokens travel unencrypted: put TLS in front", file=sys.stderr
        )
    at = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared, not bound
    announce(Home(home), f"http://{f'[{at}]' if ':' in at else at}:{port}")
    print(f"serving http://{host}:{port}/fsdp/v1 and /fsdp/mcp; health: /fsdp/health", file=sys.stderr)
    print(f"tokens: submitter {home}/secrets/submit.key, approver {home}/secrets/approve.key", file=sys.stderr)


def _langgraph(host: str, port: int, home: str) -> int:
    program = Path(sys.executable).with_name("langgraph")
    found = str(program) if program.exists() else shutil.which("langgraph")
    if found is None:
        raise FsdpAgentError(
            "the LangGraph server is not installed",
            code="langgraph_missing",
            hint="pip install 'fsdp-agent[studio]', or: fsdp-agent serve --plain",
        )
    config = _ROOT / "langgraph.json"
    if not config.is_file():
        raise InputError(f"{config} is missing", hint="serve from a checkout, or use --plain")
    state = Path(home) / "server"
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    call = [found, "dev", "--config", str(config), "--no-browser", "--no-reload", "--host", host, "--port", str(port)]
    call += ["--n-jobs-per-worker", _WORKERS]
    # PYTHONPATH may name a tree with packages of our names; the server appends, so those would win
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
        "FSDP_AGENT_HOME": home,
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
    }
    # in a folder of its own: the server keeps a folder of state where it is started
    try:
        return subprocess.run(call, cwd=state, env=environment).returncode
    except KeyboardInterrupt:
        return exits.ANSWERED
